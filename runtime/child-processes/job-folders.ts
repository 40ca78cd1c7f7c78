/**
 * Folders with the input and the result of each job of a child process.
 *
 * A child owns its folder and may put anything there. The gateway therefore uses a descriptor of
 * the folder that it opened before the child started, follows no links, opens only plain files, and
 * never accepts a path from a child. Folders are in `<root>/<process>` and are removed with their
 * job; folders of a killed process are removed when the next process starts.
 */

import { createHash, randomBytes } from 'node:crypto';
import { constants, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';

export interface JobFolders {
  readonly path: string;
  make(): Promise<JobFolder>;
  /** Rejects if `source` fails, without leaving a partial file. */
  stage(source: Bytes): Promise<Staged>;
  close(): Promise<void>;
}

const IN = 'in';
const OUT = 'out';
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Removes the folders of processes that have ended. `root` must not be used by another node. */
export async function openJobFolders(root: string): Promise<JobFolders> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const real = await realpath(root);
  for (const name of await readdir(real)) if (!isAlive(name)) await rm(join(real, name), { recursive: true, force: true });
  const own = join(real, nameOf(process.pid));
  await mkdir(own, { recursive: true, mode: 0o700 });
  const newName = (): string => join(own, randomBytes(8).toString('hex'));
  return {
    path: own,
    async make() {
      const path = newName();
      await mkdir(path, { mode: 0o700 });
      return new JobFolder(path);
    },
    stage: (source) => staged(newName(), source),
    // A job may still create files there.
    close: () => rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }),
  };
}

/** `<pid>-<start time>`, so that a later process with the same pid has a different name. */
const nameOf = (pid: number): string => `${pid}-${startOf(pid) ?? 0}`;

function isAlive(name: string): boolean {
  const pid = Number(name.split('-')[0]);
  try {
    process.kill(pid, 0);
  } catch (cause) {
    if (codeOf(cause) !== 'EPERM') return false;
  }
  return nameOf(pid) === name;
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

export class JobFolder {
  readonly path: string;
  #jobs = 0;

  constructor(path: string) {
    this.path = path;
  }

  async next(): Promise<Job> {
    this.#jobs += 1;
    const name = String(this.#jobs);
    const path = join(this.path, name);
    await mkdir(path, { mode: 0o700 });
    return new Job(name, path, await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** Call this only after the child has exited. */
  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface Staged {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  remove(): Promise<void>;
}

async function staged(path: string, source: Bytes): Promise<Staged> {
  const hash = createHash('sha256');
  const remove = (): Promise<void> => rm(path, { force: true });
  let bytes = 0;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of source) {
        hash.update(chunk);
        bytes += chunk.length;
        await file.appendFile(chunk);
      }
    } finally {
      await file.close();
    }
  } catch (cause) {
    await remove();
    throw cause;
  }
  return { path, bytes, sha256: hash.digest('hex'), remove };
}

export class Job {
  readonly name: string;
  readonly path: string;
  readonly #folder: FileHandle;

  constructor(name: string, path: string, folder: FileHandle) {
    this.name = name;
    this.path = path;
    this.#folder = folder;
  }

  take({ path }: Staged): Promise<void> {
    return rename(path, this.#inside(IN));
  }

  /** Null if the result is missing, not a plain file, over `maxBytes`, or has another hard link. */
  async result(maxBytes: number): Promise<FileHandle | null> {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    const file = await open(this.#inside(OUT), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((cause) => {
      if (['ENOENT', 'ELOOP', 'ENXIO', 'EACCES', 'EISDIR'].includes(String(codeOf(cause)))) return null;
      throw cause;
    });
    const stats = await file?.stat();
    if (stats?.isFile() && stats.nlink === 1 && stats.size <= maxBytes) return file;
    await file?.close();
    return null;
  }

  async remove(): Promise<void> {
    try {
      for (const name of [IN, OUT]) await unlink(this.#inside(name)).catch(() => {});
      await rmdir(this.path).catch(() => {});
    } finally {
      await this.#folder.close();
    }
  }

  /** Uses the descriptor if possible, because the child may replace the folder with a link. */
  #inside(name: string): string {
    return HAS_DESCRIPTORS ? `/proc/self/fd/${this.#folder.fd}/${name}` : join(this.path, name);
  }
}

const HAS_DESCRIPTORS = process.platform === 'linux';

export function sizeOf(folder: string, most: number): { readonly bytes: number; readonly entries: number } {
  let [bytes, entries] = [0, 0];
  const left = [folder];
  for (let next = left.pop(); next !== undefined && entries <= most; next = left.pop()) {
    for (const name of namesIn(next)) {
      entries += 1;
      if (entries > most) break;
      const stats = lstatSync(join(next, name), { throwIfNoEntry: false });
      bytes += stats?.isFile() ? stats.size : 0;
      if (stats?.isDirectory()) left.push(join(next, name));
    }
  }
  return { bytes, entries };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
