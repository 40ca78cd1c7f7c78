import { hash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export type Source = readonly [path: string, size: number, mtimeMs: number, sha256: string];

/** Reads the modification time before the text, so that a change in between is detected. */
export function readSource(root: string, file: string): { readonly source: Source; readonly text: string } {
  const { size, mtimeMs } = statSync(file);
  const bytes = readFileSync(file);
  return { source: [relative(root, file), size, mtimeMs, hash('sha256', bytes)], text: bytes.toString() };
}

export function writeSources(directory: string, name: string, sources: readonly Source[]): void {
  writeFileSync(join(directory, `${name}.sources.json`), JSON.stringify(sources));
}
