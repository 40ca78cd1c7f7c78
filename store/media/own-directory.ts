import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../runtime/ids.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { synced } from './disk.ts';

interface DirectoryRow {
  readonly _id: string;
  /** An empty file that is in the directory of this store's files, and in no other one. */
  readonly mark: string;
}

const spec: CollectionSpec = { name: 'media_directory', indexes: [] };
const ROW = 'files';

/**
 * The name of the file that marks where a store's files are: made in `directory` by the first node of a store that has none yet, so that a node with
 * another directory is noticed.
 */
export async function directoryMark(store: Store, directory: string, now: number): Promise<string> {
  const rows: Collection<DirectoryRow> = store.collection<DirectoryRow>(spec);
  const known = await rows.findOne({ _id: ROW });
  if (known) return known.mark;
  const mark = `store-${newId(now)}`;
  const file = join(directory, mark);
  // Before the store names it: it would be looked for in vain after a crash between the two.
  await writeFile(file, '', { mode: 0o600 });
  for (const path of [file, directory]) await synced(path);
  if ((await insertedOf(rows, [{ _id: ROW, mark }])) === 1) return mark;
  await rm(file);
  return directoryMark(store, directory, now);
}

/** Is this the directory with the mark? */
export const isMarked = (directory: string, mark: string): boolean => existsSync(join(directory, mark));
