import { jsonAsRows } from './json-rows.ts';
import { type FilePart, type ReadRows, readRows } from './read-rows.ts';

/** The thread that reads imports: its functions are called by name. */
export function rows(part: FilePart): ReadRows {
  return readRows(part);
}

export function json(bytes: Uint8Array): ReturnType<typeof jsonAsRows> {
  return jsonAsRows(bytes);
}
