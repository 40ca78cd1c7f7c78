import type { Readable } from 'node:stream';
import { olderThan } from '../paging/page.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import type { FileNotes } from './derived-files.ts';

/** In place of a device: every one, also those that are linked later. */
export const ANY_DEVICE = '*';

/** Whose a file is within its tenant. */
export interface FileOwner {
  /** Devices whose keys may use it: the one that it came in on, or those that its uploader may use (ANY_DEVICE: all). */
  readonly devices: readonly string[];
  /** Full address of the chat that it came in with, on the one device of `devices`; null: it was uploaded. */
  readonly chat_id: string | null;
  /** The agent who uploaded it; null: not uploaded by an agent. */
  readonly agent_id: string | null;
}

/** A stored file, without its bytes. A row exists only once they are durable. */
export interface MediaRow extends FileOwner {
  /** The key: `med_` and 26 characters. */
  readonly _id: string;
  readonly tenant_id: string;
  /** Under which name its bytes lie (`MediaBytes`): a fresh one for each writing, so that two uploads of one key never mix. */
  readonly blob: string;
  /** Bytes. */
  readonly size: number;
  /** Read from the bytes; never one that a browser would run. */
  readonly content_type: string;
  readonly filename: string | null;
  /** Of the bytes, hex. */
  readonly sha256: string;
  /** What it says of itself; absent: nothing, or it was not looked into. */
  readonly notes?: FileNotes;
  /** It came with a message and goes when that is deleted by its writer; false or absent: something of ours uses it, or it is ours. */
  readonly lent?: boolean;
  /** A copy of the picture that somebody shows: `<device>:<address>`. Absent: it is none. */
  readonly shows?: string;
  /** Epoch ms. */
  readonly created_at: number;
}

export interface MediaPage {
  readonly limit: number;
  readonly before: number | null;
  readonly beforeId: string | null;
}

/** Where a reading that goes from old to new stands. */
export type MediaPlace = Pick<MediaRow, '_id' | 'created_at'>;

/** The records of files. */
export interface MediaRows {
  /** False: there is one of this key. */
  add(row: MediaRow): Promise<boolean>;
  find(tenantId: string, key: string): Promise<MediaRow | null>;
  /** Newest first; those that one of `devices` may use (null: all). */
  list(tenantId: string, page: MediaPage, devices: readonly string[] | null): AsyncIterable<MediaRow>;
  /** Oldest first: those behind `after`, null: from the first. */
  oldest(tenantId: string, after: MediaPlace | null, limit: number): Promise<MediaRow[]>;
  byKeys(tenantId: string, keys: readonly string[]): Promise<MediaRow[]>;
  /** Which of these names of bytes have a row, of whichever tenant. */
  inUse(blobs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Notes what a file says of itself. */
  note(tenantId: string, key: string, notes: FileNotes): Promise<void>;
  /** It is ours from now on; false: it is gone. */
  borrow(tenantId: string, key: string): Promise<boolean>;
  /** Removes it if it came with a message and nothing of ours uses it; null: not so. */
  giveBack(tenantId: string, key: string): Promise<MediaRow | null>;
  /** Copies of the picture that somebody showed until then, oldest first. */
  copies(tenantId: string, shows: string, until: number): Promise<readonly MediaRow[]>;
  /** False: there was none. */
  remove(tenantId: string, key: string): Promise<boolean>;
}

/** Where the bytes are. Implementations: `media/`. */
export interface MediaBytes {
  /** Resolves when they are durable. When `source` or the writing fails it rejects, and nothing is there. `blob` was never used before. */
  write(tenantId: string, blob: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  /** Null: there are none. */
  read(tenantId: string, blob: string): Promise<Readable | null>;
  /** Removing an unknown one is fine. */
  remove(tenantId: string, blob: string): Promise<void>;
  /** All that lies there, in an order: the places after `after` (null: from the first). The last part of a place is the name of its bytes. */
  list(after: string | null, limit: number): Promise<readonly string[]>;
  discard(place: string): Promise<void>;
}

/** An optional ability of a place for bytes: accept a file directly from its uploader. */
export interface DirectUploads {
  /** An address that takes one file of exactly `size` bytes by PUT within `withinSeconds`, without other credentials. */
  addressFor(tenantId: string, upload: string, size: number, withinSeconds: number): Promise<string>;
  /** Copies the upload to `blob`, where its uploader cannot change it; false: nothing was uploaded. */
  adopt(tenantId: string, upload: string, blob: string): Promise<boolean>;
  /** Removes the upload. */
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

    // The bound names the index, which holds copies only.
    copies: (tenant_id, shows, until) =>
      media
        .find({ tenant_id, shows: { $eq: shows, $gte: '' }, created_at: { $lt: until } }, { sort: { created_at: 1 }, limit: 100 })
        .toArray(),

    remove: async (tenant_id, _id) => (await media.deleteOne({ _id, tenant_id })).deletedCount === 1,
  };
}
