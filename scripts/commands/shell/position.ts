import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../runtime/errors.ts';
import { isRecord } from '../../../runtime/shapes.ts';

/** The progress of a receiver on this machine, and the secret that signs its events. */
export interface Position {
  /** End of the last page whose events were all delivered; null when there is none. */
  readonly after: string | null;
  /** Ids of events after `after` that were already delivered. */
  readonly done: readonly string[];
  readonly secret: string;
}

/** Returns the path in the user's state folder; `GATEWAY_POSITIONS` names another file. */
export function positionsFile(env: NodeJS.ProcessEnv): string {
  const folder = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return env['GATEWAY_POSITIONS'] || join(folder, 'messaging-gateway', 'listen.json');
}

/** Returns all positions. A damaged file counts as empty. */
function all(file: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(found) ? { ...found } : {};
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || cause instanceof SyntaxError) return {};
    throw cause;
  }
}

/** `of` identifies the gateway, the business and the receiver. */
export function positionOf(file: string, of: string): Position | null {
  const found = all(file)[of];
  if (!isRecord(found)) return null;
  const { after, done, secret } = found;
  if ((typeof after !== 'string' && after !== null) || typeof secret !== 'string' || !Array.isArray(done)) return null;
  return { after, secret, done: done.filter((id) => typeof id === 'string') };
}

/**
 * Stores a position. Only the user may read the file, because it contains secrets. It is replaced
 * atomically, so a crash leaves the former one intact.
 */
export function keepPosition(file: string, of: string, position: Position): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify({ ...all(file), [of]: position }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
}
