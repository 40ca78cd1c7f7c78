/**
 * Files of outgoing messages, kept in IndexedDB across reloads. If the browser stores nothing, as
 * in some private windows, they stay in memory only.
 */

interface KeptFile {
  readonly file: File;
  readonly at: number;
}

const FORGOTTEN_AFTER_MS = 7 * 86_400_000;

/** Limit for all people who use this browser. Files above it stay in memory only. */
const MAX_KEPT_BYTES = 200 * 1024 * 1024;

const nameOf = (agentId: string, key: string): string => `${agentId}:${key}`;
const namesOf = (agentId: string): IDBKeyRange => IDBKeyRange.bound(`${agentId}:`, `${agentId}:\uffff`);

async function inStore<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open('console-files', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('files');
  const database = await resultOf(opening);
  try {
    return await resultOf(ask(database.transaction('files', mode).objectStore('files')));
  } finally {
    database.close();
  }
}

const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Returns false if the file will be lost when the tab is closed. */
export async function keepFile(agentId: string, key: string, file: File): Promise<boolean> {
  try {
    const others = await inStore<KeptFile[]>('readonly', (store) => store.getAll());
    if (others.reduce((sum, other) => sum + other.file.size, file.size) > MAX_KEPT_BYTES) return false;
    const kept: KeptFile = { file, at: Date.now() };
    await inStore('readwrite', (store) => store.put(kept, nameOf(agentId, key)));
    return true;
  } catch {
    return false;
  }
}

export async function keptFile(agentId: string, key: string): Promise<File | undefined> {
  const kept = await inStore<KeptFile | undefined>('readonly', (store) => store.get(nameOf(agentId, key))).catch(() => undefined);
  return kept?.file;
}

export async function dropFile(agentId: string, key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(nameOf(agentId, key))).catch(() => {});
}

export async function dropFilesOf(agentId: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(namesOf(agentId))).catch(() => {});
}

/** Deletes everyone's old files, because a file's owner may never sign in here again. */
export async function dropOldFiles(): Promise<void> {
  const names = await inStore('readonly', (store) => store.getAllKeys()).catch(() => []);
  for (const name of names) {
    const kept = await inStore<KeptFile | undefined>('readonly', (store) => store.get(name)).catch(() => undefined);
    if (kept && kept.at < Date.now() - FORGOTTEN_AFTER_MS) await inStore('readwrite', (store) => store.delete(name)).catch(() => {});
  }
}
