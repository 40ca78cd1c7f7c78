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
  readonly node: string;
}

const INCOMING = 'incoming';
/** Number of parallel fsyncs. Each occupies one of four pool threads, which also run DNS lookups. */
const SYNCED_AT_ONCE = 2;
const SHARE = 1;
const DEPTH = 3;

/** Moves each file into place once it is durable, so a crash leaves either a whole file or no file. */
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

async function placesIn(directory: string, after: string | null, limit: number): Promise<string[]> {
  const places: string[] = [];
  for await (const place of placesBehind(directory, '', after?.split('/') ?? [], DEPTH)) {
    places.push(place);
    if (places.length === limit) break;
  }
  return places;
}

async function* placesBehind(directory: string, folder: string, after: readonly string[], depth: number): AsyncGenerator<string> {
  const [from = '', ...deeper] = after;
  for (const name of await namesIn(join(directory, folder), from)) {
    const place = `${folder}${name}`;
    if (depth > 1) yield* placesBehind(directory, `${place}/`, name === from ? deeper : [], depth - 1);
    else if (name !== from) yield place;
  }
}

async function namesIn(directory: string, from: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name >= from).sort();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw cause;
  }
}

const DISK_REFUSES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** This queue needs no separate limit, because the number of uploads is limited. */
const neverFull = (): Error => new Error('a queue without end was full');

const SAFE = /^[\w-]{1,100}$/;

/** Ids and names are generated here, so a name that could leave its folder is a bug. */
function safe(name: string): string {
  if (!SAFE.test(name)) throw new Error('not a name for a media file');
  return name;
}

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

/** Syncs a file or folder. A file's name is durable only after its folder has been synced. */
export async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
