/**
 * Compares the parts of `dist/` with the sources from which they were built. Written in plain
 * JavaScript, so that starting a gateway does not load a type stripper.
 */
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns what to do, or null if these parts are current. Compares contents only if times differ. */
export function whyNotCurrent(...parts) {
  for (const part of parts) {
    const sources = sourcesOf(part);
    if (!sources) return `dist/ has no ${part}. Run npm run build.`;
    const changed = sources.find((source) => !isCurrent(source));
    if (changed) return `dist/ is older than ${changed[0]}. Run npm run build.`;
  }
  return null;
}

function sourcesOf(part) {
  try {
    return JSON.parse(readFileSync(`${ROOT}dist/${part}.sources.json`, 'utf8'));
  } catch {
    return null;
  }
}

function isCurrent([path, size, mtimeMs, sha256]) {
  const now = statSync(ROOT + path, { throwIfNoEntry: false });
  if (now?.size !== size) return false;
  return now.mtimeMs === mtimeMs || hash('sha256', readFileSync(ROOT + path)) === sha256;
}
