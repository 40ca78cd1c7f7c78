import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface BuiltFile {
  readonly bytes: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
  readonly type: string;
  readonly etag: string;
  readonly isForever: boolean;
}

export interface BuiltFiles {
  /** Identical sources have the same id, whichever node built them. */
  readonly id: string;
  readonly files: ReadonlyMap<string, BuiltFile>;
}

export const INDEX = 'index.json';

type Listed = Pick<BuiltFile, 'type' | 'etag' | 'isForever'> & { readonly path: string };

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
