import { PassThrough, pipeline, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { MediaBytes } from '../../../../store/media/media.ts';
import type { ExportFileRow, ExportRow } from '../../../../store/privacy/exports.ts';

export interface Manifest {
  readonly schema: 1;
  readonly of: 'person' | 'tenant';
  readonly requested_at: number;
  readonly counts: ExportRow['counts'];
  readonly files: readonly Pick<ExportFileRow, 'name' | 'size' | 'sha256'>[];
}

export function manifestOf({ counts, created_at }: ExportRow, files: readonly ExportFileRow[], of: Manifest['of']): Manifest {
  return { schema: 1, of, requested_at: created_at, counts, files: files.map(({ name, size, sha256 }) => ({ name, size, sha256 })) };
}

export function archived(bytes: Pick<MediaBytes, 'read'>, manifest: Manifest, files: readonly ExportFileRow[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (cause: Error): void => void output.destroy(cause);
  let source: Readable | null = null;

  async function open({ name, tenant_id, blob }: ExportFileRow): Promise<Readable> {
    source = await bytes.read(tenant_id, blob);
    if (!source) throw new Error(`the bytes of ${name} no longer exist`);
    source.once('error', fail);
    if (output.destroyed) source.destroy();
    return source;
  }

  const mtime = new Date(manifest.requested_at);
  zip.addBuffer(Buffer.from(JSON.stringify(manifest, null, 2)), 'manifest.json', { mtime });
  for (const file of files)
    zip.addReadStreamLazy(file.name, { size: file.size, mtime, compress: !file.name.startsWith('media/') }, (give) => {
      open(file).then((stream) => give(null, stream), fail);
    });
  zip.end();
  zip.on('error', fail);
  pipeline(zip.outputStream, output, () => source?.destroy());
  return output;
}
