import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../runtime/ids.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';
import { synced } from './disk.ts';

interface DirectoryRow {
  readonly _id: string;
  readonly mark: string;
}

const spec: CollectionSpec = { name: 'media_directory', indexes: [] };
const ROW = 'files';

/**
 * The file that marks the directory of a store's files, so that a node with another directory is
 * detected. The first node of a new store creates it.
 */
export async function directoryMark(store: Store, directory: string, now: number): Promise<string> {
  const rows: Collection<DirectoryRow> = store.collection<DirectoryRow>(spec);
  const known = await rows.findOne({ _id: ROW });
  if (known) return known.mark;
  const mark = `store-${newId(now)}`;
  const file = join(directory, mark);
  // Created before the store names it: otherwise, after a crash in between, it would be missing.
  await writeFile(file, '', { mode: 0o600 });
  for (const path of [file, directory]) await synced(path);
  if ((await insertedOf(rows, [{ _id: ROW, mark }])) === 1) return mark;
  await rm(file);
  return directoryMark(store, directory, now);
}

export const isMarked = (directory: string, mark: string): boolean => existsSync(join(directory, mark));
