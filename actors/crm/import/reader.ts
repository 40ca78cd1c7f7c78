import { OwnThread } from '../../own-thread.ts';
import type { jsonAsRows } from './json-rows.ts';
import type { FilePart, ReadRows } from './read-rows.ts';

/** Reads files of contacts on a thread of its own. Every method refuses OVERLOADED when too many wait. */
export interface ImportReader {
  rows(part: FilePart): Promise<ReadRows>;
  json(bytes: Uint8Array): Promise<ReturnType<typeof jsonAsRows>>;
  close(): Promise<void>;
}

const MOST_WAITING = 200;

export function createImportReader(): ImportReader {
  const thread = new OwnThread(new URL('./reader-worker.ts', import.meta.url), MOST_WAITING);
  return {
    rows: (part) => thread.run(part, { name: 'rows' }),
    json: (bytes) => thread.run(bytes, { name: 'json' }),
    close: () => thread.close(),
  };
}
