import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { asError, codeOf } from '../../../../runtime/errors.ts';
import { lockFile } from '../../../../runtime/file-lock.ts';
import { isRecord } from '../../../../runtime/shapes.ts';
import { Failure } from '../../cluster/operator.ts';

export interface Position {
  /** Cursor of the last page whose events have all been delivered; null before the first page. */
  readonly after: string | null;
  /** Ids of the events after `after` that have already been delivered. */
  readonly done: readonly string[];
  readonly secret: string;
}

/** The file is locked while a listener runs. It is replaced atomically, so a crash cannot damage it. */
export interface PositionFile {
  readonly stored: Position | null;
  /** Returns once the position would survive a power failure. Throws a Failure if writing fails. */
  store(position: Position): void;
  close(): void;
}

export function positionFile(env: NodeJS.ProcessEnv, of: string): string {
  const folder =
    env['GATEWAY_POSITIONS'] || join(env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'messaging-gateway', 'listen');
  return join(folder, `${createHash('sha256').update(of).digest('hex').slice(0, 16)}.json`);
}

/** Throws a Failure if the file is in use or, unless `isFresh`, damaged or for another receiver. */
export function openPosition(path: string, of: string, isFresh: boolean): PositionFile {
  const file = resolve(path);
  const close = locked(file);
  if (close === null) throw new Failure(`Another listener uses ${file}. Stop it first, because only one can deliver to a receiver.`);
  try {
    const stored = isFresh ? null : positionIn(file, of);
    return { stored, store: (position) => replace(file, `${JSON.stringify({ of, ...position }, null, 2)}\n`), close };
  } catch (cause) {
    close();
    throw cause;
  }
}

function locked(file: string): (() => void) | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return lockFile(file);
  } catch (cause) {
    throw unusable(file, cause);
  }
}

function positionIn(file: string, of: string): Position | null {
  const found = contentOf(file);
  if (found === null) return null;
  const damaged = new Failure(
    `${file} does not contain the position of a listener. Use --fresh to start from now, and check what the receiver has missed.`,
  );
  if (!isRecord(found)) throw damaged;
  const { after, done, secret } = found;
  if ((typeof after !== 'string' && after !== null) || typeof secret !== 'string' || !Array.isArray(done)) throw damaged;
  if (found['of'] !== of) throw new Failure(`${file} contains the position of ${found['of']}. Choose another file with --state.`);
  return { after, secret, done: done.filter((id) => typeof id === 'string') };
}

/** Returns undefined for invalid JSON, and null if the file does not exist. */
function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return null;
    if (cause instanceof SyntaxError) return undefined;
    throw unusable(file, cause);
  }
}

/** The lock makes this process the only writer, so the temporary name need not be unique. */
function replace(file: string, text: string): void {
  const draft = `${file}.draft`;
  try {
    rmSync(draft, { force: true });
    const opened = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(opened, text);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    renameSync(draft, file);
    const folder = openSync(dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw unusable(file, cause);
  }
}

const unusable = (file: string, cause: unknown): Failure =>
  new Failure(`The position cannot be stored in ${file} (${codeOf(cause) ?? asError(cause).message}).`);
