import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { it } from 'node:test';
import { archived, type Manifest } from '../../../../../actors/services/privacy/export/archive.ts';
import { mediaOnDisk } from '../../../../../store/media/disk.ts';
import type { ExportFileRow } from '../../../../../store/privacy/exports.ts';
import { aDirectory, type Scope } from '../../../../support/stores.ts';

const SIZE = 1_000_000;

/** An export of two files. `opened` are those that somebody began to read. */
async function anExport(scope: Scope) {
  const bytes = await mediaOnDisk({ directory: aDirectory(scope), node: 'one' });
  const blobs = ['a', 'b'];
  for (const blob of blobs)
    await bytes.write(
      't',
      blob,
      (async function* () {
        yield Buffer.alloc(SIZE);
      })(),
    );
  const files = blobs.map(
    (blob): ExportFileRow => ({
      ...{ _id: `e:${blob}`, tenant_id: 't', export_id: 'e', name: `media/${blob}`, part: '0 ', size: SIZE, sha256: '', blob },
    }),
  );
  const opened: Readable[] = [];
  const read = async (tenantId: string, blob: string): Promise<Readable | null> => {
    const stream = await bytes.read(tenantId, blob);
    if (stream) opened.push(stream);
    return stream;
  };
  const manifest: Manifest = { schema: 1, of: 'tenant', requested_at: 0, counts: {}, files };
  return { files, read, opened, manifest };
}

it('an aborted export download closes its open file, and opens no others', async (t) => {
  const { files, read, opened, manifest } = await anExport(t);
  const zip = archived({ read }, manifest, files);
  for await (const _some of zip) if (opened.length > 0) break;
  const [first] = opened;
  assert.ok(first);
  if (!first.closed) await once(first, 'close');
  assert.deepEqual([zip.destroyed, opened.length], [true, 1]);
});

it('an aborted export download closes a file that was just being opened', async (t) => {
  const { files, read, opened, manifest } = await anExport(t);
  const [asked, mayOpen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: typeof read = async (...which) => {
    asked.resolve();
    await mayOpen.promise;
    return read(...which);
  };
  const zip = archived({ read: slow }, manifest, files).resume();
  await asked.promise;
  zip.destroy();
  await once(zip, 'close');
  mayOpen.resolve();
  while (opened.length === 0) await new Promise(setImmediate);
  const [first] = opened;
  assert.ok(first);
  if (!first.closed) await once(first, 'close');
  assert.equal(opened.length, 1);
});

it('an export download fails if one of its files cannot be read to the end', async (t) => {
  const { files, read, opened, manifest } = await anExport(t);
  const zip = archived({ read }, manifest, files);
  await assert.rejects(async () => {
    for await (const _some of zip) opened[0]?.destroy(new Error('the disk is gone'));
  }, /the disk is gone/);
  assert.equal(opened.length, 1);
});
