import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface BuiltFile {
  readonly bytes: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly type: string;
  /** A strong ETag, in quotes. */
  readonly etag: string;
  /** Whether the name changes with the contents. */
  readonly isForever: boolean;
}

export interface BuiltFiles {
  /** Identical for identical sources, whichever node built them. */
  readonly id: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
}

export const INDEX = 'index.json';

type Listed = Pick<BuiltFile, 'type' | 'etag' | 'isForever'> & { readonly path: string };

/** Reads the console that `npm run build` wrote to `directory`. Rejects if a file is missing. */
export async function readBuiltFiles(directory: string): Promise<BuiltFiles> {
  const { id, files }: { readonly id: string; readonly files: readonly Listed[] } = JSON.parse(
    await readFile(join(directory, INDEX), 'utf8'),
  );
  const read = await Promise.all(
    files.map(async ({ path, ...about }): Promise<[string, BuiltFile]> => {
      const [bytes, br, gzip] = await Promise.all([
        readFile(join(directory, path)),
        readFile(join(directory, `${path}.br`)),
        readFile(join(directory, `${path}.gz`)),
      ]);
      return [path, { ...about, bytes, br, gzip }];
    }),
  );
  return { id, files: new Map(read) };
}
