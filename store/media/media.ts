import type { Readable } from 'node:stream';
import { olderThan } from '../paging/page.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import type { FileNotes } from './derived-files.ts';

export const ANY_DEVICE = '*';

export interface FileOwner {
  /** The devices whose keys may use the file: the one that received or the one that uploaded it. */
  readonly devices: readonly string[];
  readonly chat_id: string | null;
  readonly agent_id: string | null;
}

/** A row exists only once its bytes are durable. */
export interface MediaRow extends FileOwner {
  readonly _id: string;
  readonly tenant_id: string;
  /** Storage key, which is new for each write, so that two uploads are never mixed up. */
  readonly blob: string;
  readonly size: number;
  /** Detected from the bytes; never a type that a browser would execute. */
  readonly content_type: string;
  readonly filename: string | null;
  readonly sha256: string;
  readonly notes?: FileNotes;
  /** True if the file must be removed when its sender deletes it. Absent if we uploaded or use the file. */
  readonly lent?: boolean;
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
  list(tenantId: string, page: MediaPage, devices: readonly string[] | null): AsyncIterable<MediaRow>;
  oldest(tenantId: string, after: MediaPlace | null, limit: number): Promise<MediaRow[]>;
  byKeys(tenantId: string, keys: readonly string[]): Promise<MediaRow[]>;
  inUse(blobs: readonly string[]): Promise<ReadonlySet<string>>;
  note(tenantId: string, key: string, notes: FileNotes): Promise<void>;
  borrow(tenantId: string, key: string): Promise<boolean>;
  /** Returns null if the file is in use or was not received. */
  giveBack(tenantId: string, key: string): Promise<MediaRow | null>;
  copies(tenantId: string, shows: string, until: number): Promise<readonly MediaRow[]>;
  remove(tenantId: string, key: string): Promise<boolean>;
}

export interface MediaBytes {
  /** Stores nothing if `source` or the write fails. `blob` must be new. */
  write(tenantId: string, blob: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  read(tenantId: string, blob: string): Promise<Readable | null>;
  remove(tenantId: string, blob: string): Promise<void>;
  list(after: string | null, limit: number): Promise<readonly string[]>;
  discard(place: string): Promise<void>;
}

export interface DirectUploads {
  /** Accepts one file of exactly `size` bytes by PUT, without other credentials. */
  addressFor(tenantId: string, upload: string, size: number, withinSeconds: number): Promise<string>;
  /** Copies the upload to a location where its uploader cannot change it. */
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

    // The lower bound makes the store use the index, which contains only copies.
    copies: (tenant_id, shows, until) =>
      media
        .find({ tenant_id, shows: { $eq: shows, $gte: '' }, created_at: { $lt: until } }, { sort: { created_at: 1 }, limit: 100 })
        .toArray(),

    remove: async (tenant_id, _id) => (await media.deleteOne({ _id, tenant_id })).deletedCount === 1,
  };
}
