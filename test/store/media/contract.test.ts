import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { newId } from '../../../runtime/ids.ts';
import type { MediaBytes } from '../../../store/media/media.ts';
import { places } from './places.ts';

const [ACME, OTHER] = [newId(1), newId(2)];

async function* chunks(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function* broken() {
  yield Buffer.from('half');
  throw new Error('the sender hung up');
}

async function textOf(bytes: MediaBytes, tenant: string, blob: string): Promise<string | null> {
  const stream = await bytes.read(tenant, blob);
  return stream && String(await buffer(stream));
}

for (const place of places)
  describe(`a file's bytes on ${place.name}`, () => {
    it('can be read unchanged, and only by the tenant that owns them', async (t) => {
      const bytes = await place.fresh(t);
      const blob = newId(3);
      await bytes.write(ACME, blob, chunks('one, ', 'two'));
      assert.equal(await textOf(bytes, ACME, blob), 'one, two');
      assert.equal(await textOf(bytes, OTHER, blob), null);
      assert.equal(await textOf(bytes, ACME, newId(3)), null);
      const large = Buffer.alloc(3_000_000, 7);
      await bytes.write(ACME, newId(4), Readable.from([large]));
      const empty = newId(5);
      await bytes.write(ACME, empty, chunks());
      assert.equal(await textOf(bytes, ACME, empty), '');
    });

    it('are stored completely or not at all', async (t) => {
      const bytes = await place.fresh(t);
      const blob = newId(3);
      await assert.rejects(bytes.write(ACME, blob, broken()), /hung up/);
      assert.equal(await textOf(bytes, ACME, blob), null);
      assert.deepEqual(await bytes.list(null, 10), []);
    });

    it('can be removed, even if they are already missing', async (t) => {
      const bytes = await place.fresh(t);
      const blob = newId(3);
      await bytes.write(ACME, blob, chunks('x'));
      for (let times = 0; times < 2; times += 1) await bytes.remove(ACME, blob);
      assert.equal(await textOf(bytes, ACME, blob), null);
    });

    it('appear once per file in a paged list, and can be deleted by their path', async (t) => {
      const bytes = await place.fresh(t);
      const blobs = Array.from({ length: 25 }, (_, nth) => newId(nth));
      for (const [nth, blob] of blobs.entries()) await bytes.write(nth % 2 ? ACME : OTHER, blob, chunks('x'));
      const seen: string[] = [];
      for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
        const part: readonly string[] = await bytes.list(after, 4);
        seen.push(...part);
        if (part.length < 4) break;
      }
      assert.deepEqual(seen.map((one) => one.split('/').at(-1)!).toSorted(), blobs.toSorted());
      await bytes.discard(seen[7]!);
      await bytes.discard(seen[7]!);
      assert.equal((await bytes.list(null, 100)).length, 24);
    });
  });
