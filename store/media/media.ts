import type { Readable } from 'node:stream';
import { olderThan } from '../paging/page.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import type { FileNotes } from './derived-files.ts';

/** Stands for all devices, including future ones. */
export const ANY_DEVICE = '*';

export interface FileOwner {
  /** Devices whose keys may use the file: the receiver's or the uploader's (ANY_DEVICE for all). */
  readonly devices: readonly string[];
  /** Address of the chat in which the only device received the file; null if it was uploaded. */
  readonly chat_id: string | null;
  /** The agent who uploaded the file; null if no agent did. */
  readonly agent_id: string | null;
}

/** A stored file, without its bytes. A row exists only once they are durable. */
export interface MediaRow extends FileOwner {
  /** `med_` and 26 characters. */
  readonly _id: string;
  readonly tenant_id: string;
  /** Storage key of the bytes, new for each write, so that two uploads never mix. */
  readonly blob: string;
  /** Bytes. */
  readonly size: number;
  /** Detected from the bytes; never a type that a browser would execute. */
  readonly content_type: string;
  readonly filename: string | null;
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string;
  /** Facts read from the file; absent if nothing was found or the file was not read. */
  readonly notes?: FileNotes;
  /** Whether the file is removed when its sender deletes it. False or absent if we use or uploaded it. */
  readonly lent?: boolean;
  /** For a copy of a profile picture: `<device>:<address>`. Absent for other files. */
  readonly shows?: string;
  readonly created_at: number;
}

export interface MediaPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

export type MediaPlace = Pick<MediaRow, '_id' | 'created_at'>;

export interface MediaRows {
  add(row: MediaRow): Promise<boolean>;
  find(tenantId: string, key: string): Promise<MediaRow | null>;
  /** Returns files that one of `devices` may use (null for all), newest first. */
  list(tenantId: string, page: MediaPage, devices: readonly string[] | null): AsyncIterable<MediaRow>;
  /** Returns files after `after` (null for the first), oldest first. */
  oldest(tenantId: string, after: MediaPlace | null, limit: number): Promise<MediaRow[]>;
  byKeys(tenantId: string, keys: readonly string[]): Promise<MediaRow[]>;
  inUse(blobs: readonly string[]): Promise<ReadonlySet<string>>;
  note(tenantId: string, key: string, notes: FileNotes): Promise<void>;
  /** Keeps a received file for our own use. Returns false if it was removed. */
  borrow(tenantId: string, key: string): Promise<boolean>;
  /** Removes a received file that we do not use. Returns null if it is in use or was not received. */
  giveBack(tenantId: string, key: string): Promise<MediaRow | null>;
  /** Returns copies of a person's profile pictures from before `until`, oldest first. */
  copies(tenantId: string, shows: string, until: number): Promise<readonly MediaRow[]>;
  remove(tenantId: string, key: string): Promise<boolean>;
}

/** Storage of file bytes. Implementations: `media/`. */
export interface MediaBytes {
  /** Resolves when durable. If `source` or the write fails, nothing is stored. `blob` must be new. */
  write(tenantId: string, blob: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns null if the bytes do not exist. */
  read(tenantId: string, blob: string): Promise<Readable | null>;
  /** Does nothing if the bytes do not exist. */
  remove(tenantId: string, blob: string): Promise<void>;
  /** Stored paths after `after` (null for the first), in a stable order. They end in the storage key. */
  list(after: string | null, limit: number): Promise<readonly string[]>;
  discard(place: string): Promise<void>;
}

/** An optional ability of a storage: accepting a file directly from its uploader. */
export interface DirectUploads {
  /** A URL that accepts one file of exactly `size` bytes by PUT, without other credentials. */
  addressFor(tenantId: string, upload: string, size: number, withinSeconds: number): Promise<string>;
  /** Copies the upload to where its uploader cannot change it. Returns false if nothing was uploaded. */
  adopt(tenantId: string, upload: string, blob: string): Promise<boolean>;
  forget(tenantId: string, upload: string): Promise<void>;
}

export const mediaSpec: CollectionSpec = {
  name: 'media',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'by_blob', keys: { blob: 1 } },
    { name: 'of_chat', keys: { tenant_id: 1, chat_id: 1, created_at: 1 } },
    { name: 'copies', keys: { tenant_id: 1, shows: 1, created_at: 1 }, where: { shows: { $gte: '' } } },
  ],
  arrays: ['devices'],
};

export function mediaIn(store: Store): MediaRows {
  const media: Collection<MediaRow> = store.collection<MediaRow>(mediaSpec);

  return {
    async add(row) {
      try {
        await media.insertOne(row);
        return true;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return false;
      }
    },

    find: (tenant_id, _id) => media.findOne({ _id, tenant_id }),

    list: (tenant_id, { limit, before, beforeId }, devices) =>
      media.find(
        { tenant_id, ...(devices && { devices: { $in: [ANY_DEVICE, ...devices] } }), ...olderThan({ before, beforeId }) },
        { sort: { created_at: -1, _id: -1 }, limit },
      ),

    oldest(tenant_id, after, limit) {
      const behind: Filter = after
        ? { created_at: { $gte: after.created_at }, $or: [{ created_at: { $gt: after.created_at } }, { _id: { $gt: after._id } }] }
        : {};
      return media.find({ tenant_id, ...behind }, { sort: { created_at: 1, _id: 1 }, limit }).toArray();
    },
    byKeys: (tenant_id, keys) => media.find({ tenant_id, _id: { $in: keys } }).toArray(),

    inUse: async (blobs) =>
      new Set((await media.find({ blob: { $in: blobs } }, { projection: { blob: 1 } }).toArray()).map(({ blob }) => blob)),

    note: async (tenant_id, _id, notes) => void (await media.updateOne({ _id, tenant_id }, { $set: { notes: { ...notes } } })),
    borrow: async (tenant_id, _id) => (await media.updateOne({ _id, tenant_id }, { $set: { lent: false } })).matchedCount === 1,
    giveBack: (tenant_id, _id) => media.findOneAndDelete({ _id, tenant_id, lent: true }),

    // The lower bound selects the index, which holds copies only.
    copies: (tenant_id, shows, until) =>
      media
        .find({ tenant_id, shows: { $eq: shows, $gte: '' }, created_at: { $lt: until } }, { sort: { created_at: 1 }, limit: 100 })
        .toArray(),

    remove: async (tenant_id, _id) => (await media.deleteOne({ _id, tenant_id })).deletedCount === 1,
  };
}
