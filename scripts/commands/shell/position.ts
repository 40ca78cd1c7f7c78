import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../runtime/errors.ts';
import { isRecord } from '../../../runtime/shapes.ts';

/** How far a receiver on this machine has got, and what its events are signed with. */
export interface Position {
  /** The end of the last page of events that is done; null: none was. */
  readonly after: string | null;
  /** Of the page behind it: the ids of events that are done, too. */
  readonly done: readonly string[];
  readonly secret: string;
}

/** Among what programs remember of a person; `GATEWAY_POSITIONS` names another file. */
export function positionsFile(env: NodeJS.ProcessEnv): string {
  const folder = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return env['GATEWAY_POSITIONS'] || join(folder, 'messaging-gateway', 'listen.json');
}

/** A file that is damaged is as none. */
function all(file: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(found) ? { ...found } : {};
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || cause instanceof SyntaxError) return {};
    throw cause;
  }
}

/** `of`: whose events, and where they go. */
export function positionOf(file: string, of: string): Position | null {
  const found = all(file)[of];
  if (!isRecord(found)) return null;
  const { after, done, secret } = found;
  if ((typeof after !== 'string' && after !== null) || typeof secret !== 'string' || !Array.isArray(done)) return null;
  return { after, secret, done: done.filter((id) => typeof id === 'string') };
}

/** Nobody else may read the file, which holds secrets; a process that dies leaves the former one whole. */
export function keepPosition(file: string, of: string, position: Position): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify({ ...all(file), [of]: position }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(draft, file);
}
