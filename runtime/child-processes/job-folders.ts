import { createHash, randomBytes } from 'node:crypto';
import { constants, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';

/**
 * Folders in which jobs of child processes find their input and leave their result.
 *
 * A child owns its folder and may put anything there, so the gateway goes through a descriptor of the folder that
 * it opened before the child began, follows no link, opens plain files alone, and never takes a path from a child.
 * Folders lie under `<root>/<process>` and go with their job; those of a process that was killed go when the next
 * one starts.
 */
export interface JobFolders {
  /** Where those of this process lie: absolute, without links. */
  readonly path: string;
  /** A new one that only this user may open. */
  make(): Promise<JobFolder>;
  /** Writes what a job is to read. Rejects as `source` does; then nothing of it is left. */
  stage(source: Bytes): Promise<Staged>;
  /** Removes the folders of this process. */
  close(): Promise<void>;
}

const IN = 'in';
const OUT = 'out';
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Removes what processes left that are gone. `root` is made where it is not there; it is this node's alone. */
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
    close: () => rm(own, { recursive: true, force: true }),
  };
}

/** `<pid>-<when it started>`: a later process with this id has another name. */
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

/** In ticks since the host started; null where there is no `/proc`. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** The folder of a child, which has one inside for each of its jobs. */
export class JobFolder {
  readonly path: string;
  #jobs = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The folder of its next job. */
  async next(): Promise<Job> {
    this.#jobs += 1;
    const name = String(this.#jobs);
    const path = join(this.path, name);
    await mkdir(path, { mode: 0o700 });
    return new Job(name, path, await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** To be called once its child is over. */
  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A file that waits for its job. */
export interface Staged {
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Removes what no job has taken. */
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

/** One job: `in` is what the child reads, `out` what it leaves. */
export class Job {
  /** Inside the folder of the child. */
  readonly name: string;
  readonly path: string;
  readonly #folder: FileHandle;

  constructor(name: string, path: string, folder: FileHandle) {
    this.name = name;
    this.path = path;
    this.#folder = folder;
  }

  /** Gives it the file as its input. */
  take({ path }: Staged): Promise<void> {
    return rename(path, this.#inside(IN));
  }

  /** What the child left; null where that is no plain file of at most so many bytes, or is a file elsewhere, too. */
  async result(maxBytes: number): Promise<FileHandle | null> {
    // Opening a pipe would wait for a writer.
    const file = await open(this.#inside(OUT), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((cause) => {
      if (['ENOENT', 'ELOOP', 'ENXIO', 'EACCES', 'EISDIR'].includes(String(codeOf(cause)))) return null;
      throw cause;
    });
    const stats = await file?.stat();
    if (stats?.isFile() && stats.nlink === 1 && stats.size <= maxBytes) return file;
    await file?.close();
    return null;
  }

  /** What is left in the folder goes with that of the child. */
  async remove(): Promise<void> {
    try {
      for (const name of [IN, OUT]) await unlink(this.#inside(name)).catch(() => {});
      await rmdir(this.path).catch(() => {});
    } finally {
      await this.#folder.close();
    }
  }

  /** Through the descriptor, where the host can: the child may have put a link in the place of the folder. */
  #inside(name: string): string {
    return HAS_DESCRIPTORS ? `/proc/self/fd/${this.#folder.fd}/${name}` : join(this.path, name);
  }
}

const HAS_DESCRIPTORS = process.platform === 'linux';

/** What a folder holds, links and folders inside included; `most` entries are looked at. */
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
