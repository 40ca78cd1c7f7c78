import { lstat, readdir, readFile, rename } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../../cluster/operator.ts';
import { idOfFile, MAX_ENTRIES, MAX_ENTRY_BYTES, nameIn, type Source, type SourceRecord } from './source.ts';

/** Reads a folder of Baileys' `useMultiFileAuthState`. Links and subfolders are skipped. */
export function folderSource(path: string, format: 'baileys' | 'waha_noweb'): Source {
  const folder = resolve(path);
  return {
    format,
    async read() {
      const records = await recordsIn(folder);
      if (!records.some(({ kind }) => kind === 'creds'))
        throw new Failure(`${folder} has no creds.json, so it is not a login folder. Specify the folder that contains creds.json.`);
      return records;
    },
    async retire(today) {
      const moved = `${folder}.moved-${today}`;
      await rename(folder, moved);
      return `The old folder is now called ${basename(moved)}, so the old program cannot use it again.`;
    },
    close: async () => {},
  };
}

export async function recordsIn(folder: string): Promise<readonly SourceRecord[]> {
  const names = await readdir(folder).catch(() => {
    throw new Failure(`The folder ${folder} does not exist, or you cannot read it.`);
  });
  if (names.length > MAX_ENTRIES) throw new Failure(`${folder} has more than ${MAX_ENTRIES} files, so it is not a login folder.`);
  const records: SourceRecord[] = [];
  for (const name of names.toSorted()) {
    const record = name.endsWith('.json') ? await recordIn(folder, name) : null;
    if (record) records.push(record);
  }
  return records;
}

async function recordIn(folder: string, file: string): Promise<SourceRecord | null> {
  const name = nameIn(file.slice(0, -'.json'.length));
  const path = join(folder, file);
  const facts = name && (await lstat(path));
  if (!name || !facts?.isFile() || facts.size > MAX_ENTRY_BYTES) return null;
  return { kind: name.kind, id: idOfFile(name.kind, name.id), value: jsonIn(await readFile(path, 'utf8')) };
}

/** Returns null for invalid JSON, such as a half-written file. The gateway drops and reports it. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
