import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { MediaBytes } from '../../../../store/media/media.ts';
import type { ExportFileRow, ExportRow } from '../../../../store/privacy/exports.ts';

/** Names every other file of an export. */
export interface Manifest {
  readonly schema: 1;
  readonly of: 'person' | 'tenant';
  /** Epoch ms. */
  readonly requested_at: number;
  readonly counts: ExportRow['counts'];
  readonly files: readonly Pick<ExportFileRow, 'name' | 'size' | 'sha256'>[];
}

export function manifestOf({ counts, created_at }: ExportRow, files: readonly ExportFileRow[], of: Manifest['of']): Manifest {
  return { schema: 1, of, requested_at: created_at, counts, files: files.map(({ name, size, sha256 }) => ({ name, size, sha256 })) };
}

/** A zip file, written while it is read: one file after the other, none of them as a whole in memory. */
export function archived(bytes: Pick<MediaBytes, 'read'>, manifest: Manifest, files: readonly ExportFileRow[]): Readable {
  const zip = new ZipFile();
  const mtime = new Date(manifest.requested_at);
  zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), 'manifest.json', { mtime });
  for (const { name, size, tenant_id, blob } of files)
    zip.addReadStreamLazy(name, { size, mtime, compress: !name.startsWith('media/') }, (give) => {
      bytes.read(tenant_id, blob).then(
        (stream) => (stream ? give(null, stream) : give(new Error(`the bytes of ${name} are gone`), Readable.from([]))),
        (cause) => give(cause, Readable.from([])),
      );
    });
  zip.end();
  const output = new Readable().wrap(zip.outputStream);
  zip.on('error', (cause: Error) => output.destroy(cause));
  return output;
}
