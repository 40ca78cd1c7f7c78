import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../runtime/errors.ts';
import { FairSlots } from '../../runtime/fair-slots.ts';
import type { MediaBytes } from './media.ts';
import { MediaUnavailable } from './unavailable.ts';

export interface DiskOptions {
  readonly directory: string;
  /** The name of this node: nodes that share a store share the directory. */
  readonly node: string;
}

const INCOMING = 'incoming';
/**
 * Files that are made durable at once. Each waits for the disk on a thread of the process's pool, which has four, and on which names of hosts are
 * looked up, too.
 */
const SYNCED_AT_ONCE = 2;
/** Of one tenant. */
const SHARE = 1;
/** Folders of a place, and its name. */
const DEPTH = 3;

/**
 * Files as `<directory>/<tenant>/<last two characters of the name>/<name>`, so that no folder grows large. A file is written elsewhere and
 * moved once it is on the disk: a process that dies leaves a whole file or none, and what it had begun goes when the node starts again, or with the
 * files that have no record.
 */
export async function mediaOnDisk({ directory, node }: DiskOptions): Promise<MediaBytes> {
  const incoming = join(directory, INCOMING, node);
  const pathOf = (tenantId: string, blob: string): string => join(directory, safe(tenantId), safe(blob).slice(-2), blob);
  const syncing = new FairSlots({ slots: SYNCED_AT_ONCE, share: SHARE, waiting: Number.POSITIVE_INFINITY, full: neverFull });
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });

  return {
    async write(tenantId, blob, source) {
      const path = pathOf(tenantId, blob);
      const unfinished = join(incoming, safe(blob));
      let left = unfinished;
      try {
        await pipeline(source, createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }));
        await syncing.run(tenantId, async () => {
          await synced(unfinished);
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await rename(unfinished, path);
          left = path;
          for (const folder of [dirname(path), dirname(dirname(path)), directory]) await synced(folder);
        });
      } catch (cause) {
        await rm(left, { force: true });
        throw DISK_REFUSES.has(codeOf(cause)) ? new MediaUnavailable(`the disk takes no files: ${codeOf(cause)}`, { cause }) : cause;
      }
    },

    read: (tenantId, blob) => opened(pathOf(tenantId, blob)),
    remove: (tenantId, blob) => rm(pathOf(tenantId, blob), { force: true }),
    list: (after, limit) => placesIn(directory, after, limit),
    discard: (place) => rm(join(directory, safePlace(place)), { force: true }),
  };
}

/** `<tenant>/<two characters>/<name>`, and `incoming/<node>/<name>` of what is not whole yet, in the order of the names. */
async function placesIn(directory: string, after: string | null, limit: number): Promise<string[]> {
  const places: string[] = [];
  for await (const place of placesBehind(directory, '', after?.split('/') ?? [], DEPTH)) {
    places.push(place);
    if (places.length === limit) break;
  }
  return places;
}

/** `after` is the first folder of a place to read; earlier ones are skipped. */
async function* placesBehind(directory: string, folder: string, after: readonly string[], depth: number): AsyncGenerator<string> {
  const [from = '', ...deeper] = after;
  for (const name of await namesIn(join(directory, folder), from)) {
    const place = `${folder}${name}`;
    if (depth > 1) yield* placesBehind(directory, `${place}/`, name === from ? deeper : [], depth - 1);
    else if (name !== from) yield place;
  }
}

/** From a name on. */
async function namesIn(directory: string, from: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name >= from).sort();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw cause;
  }
}

/** Full, over its quota, read-only, broken, or no more files may be open. */
const DISK_REFUSES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** Whoever bounds the uploads bounds what waits. */
const neverFull = (): Error => new Error('a queue without end was full');

const SAFE = /^[\w-]{1,100}$/;

/** Ids and names are ours; one that could lead out of its folder is a bug. */
function safe(name: string): string {
  if (!SAFE.test(name)) throw new Error('not a name for a media file');
  return name;
}

/** Names of nodes may have dots. */
const SAFE_PLACE = /^[\w-]+\/(?!\.+\/)[\w.-]+\/[\w-]+$/;

function safePlace(place: string): string {
  if (!SAFE_PLACE.test(place)) throw new Error('not a place of a media file');
  return place;
}

async function opened(path: string): Promise<Readable | null> {
  try {
    return (await open(path, 'r')).createReadStream();
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return null;
    throw cause;
  }
}

/** Waits until the disk has a file, or the names in a folder: a name is durable when its folder is. */
export async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
