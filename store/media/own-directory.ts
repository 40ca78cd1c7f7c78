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

/** A file that marks the directory as this store's own, to detect a node that uses another directory. */
export async function directoryMark(store: Store, directory: string, now: number): Promise<string> {
  const rows: Collection<DirectoryRow> = store.collection<DirectoryRow>(spec);
  const known = await rows.findOne({ _id: ROW });
  if (known) return known.mark;
  const mark = `store-${newId(now)}`;
  const file = join(directory, mark);
  // Creates the file before the store refers to it, so that a crash in between never leaves it missing.
  await writeFile(file, '', { mode: 0o600 });
  for (const path of [file, directory]) await synced(path);
  if ((await insertedOf(rows, [{ _id: ROW, mark }])) === 1) return mark;
  await rm(file);
  return directoryMark(store, directory, now);
}

export const isMarked = (directory: string, mark: string): boolean => existsSync(join(directory, mark));
