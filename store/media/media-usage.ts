import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';
import { type MediaRow, mediaSpec } from './media.ts';

interface Reserved {
  readonly size: number;
  readonly at: number;
}

interface UsageRow {
  readonly _id: string;
  readonly bytes: number;
  readonly reserved: Readonly<Record<string, Reserved>>;
  readonly rev: number;
}

/** The number of bytes of each tenant's files. Exact under concurrency, on any number of nodes. */
export interface MediaUsage {
  bytes(tenantId: string): Promise<number>;
  reserve(tenantId: string, blob: string, size: number, limit: number, now: number): Promise<boolean>;
  renew(tenantId: string, name: string, now: number): Promise<boolean>;
  stored(tenantId: string, name: string): Promise<void>;
  cancel(tenantId: string, name: string, size: number): Promise<void>;
  release(tenantId: string, blob: string, size: number): Promise<void>;
  /**
   * Adds up the rows, because a crash may leave reservations behind. Does nothing if files change
   * in the meantime.
   */
  recount(tenantId: string, now: number): Promise<void>;
}

/** Lifetime of a reservation. Storing a row or using an upload link takes far less time. */
const RESERVED_MS = 3_600_000;
const READ_TOGETHER = 1_000;

const spec: CollectionSpec = { name: 'media_usage', indexes: [] };

export function mediaUsageIn(store: Store): MediaUsage {
  const media: Collection<MediaRow> = store.collection<MediaRow>(mediaSpec);
  const usage: Collection<UsageRow> = store.collection<UsageRow>(spec);

  async function first(_id: string): Promise<void> {
    try {
      await usage.insertOne({ _id, bytes: 0, reserved: {}, rev: 0 });
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
    }
  }

  return {
    bytes: async (_id) => (await usage.findOne({ _id }))?.bytes ?? 0,

    async reserve(_id, blob, size, limit, at) {
      const update = { $inc: { bytes: size, rev: 1 }, $set: { [`reserved.${blob}`]: { size, at } } };
      const take = async (): Promise<boolean> => (await usage.updateOne({ _id, bytes: { $lte: limit - size } }, update)).matchedCount === 1;
      if (await take()) return true;
      // If the update fails, the row may not exist yet, so it is created before the second attempt.
      await first(_id);
      return take();
    },

    renew: async (_id, name, at) =>
      (await usage.updateOne(counted(_id, name), { $set: { [`reserved.${name}.at`]: at } })).matchedCount === 1,

    stored: async (_id, name) => void (await usage.updateOne({ _id }, { $unset: { [`reserved.${name}`]: '' } })),

    cancel: async (_id, name, size) =>
      void (await usage.updateOne(counted(_id, name), { $inc: { bytes: -size, rev: 1 }, $unset: { [`reserved.${name}`]: '' } })),

    release: async (_id, blob, size) =>
      void (await usage.updateOne({ _id }, { $inc: { bytes: -size, rev: 1 }, $unset: { [`reserved.${blob}`]: '' } })),

    async recount(_id, now) {
      const before = await usage.findOne({ _id });
      if (!before) return;
      let bytes = 0;
      const there = new Set<string>();
      const rows = media.find({ tenant_id: _id }, { sort: { created_at: -1, _id: -1 }, batchSize: READ_TOGETHER });
      for await (const { _id: key, blob, size } of rows) {
        bytes += size;
        for (const name of [key, blob]) if (name in before.reserved) there.add(name);
      }
      const waiting = Object.entries(before.reserved).filter(([name, { at }]) => !there.has(name) && now - at < RESERVED_MS);
      for (const [, { size }] of waiting) bytes += size;
      await usage.updateOne({ _id, rev: before.rev }, { $set: { bytes, reserved: Object.fromEntries(waiting) }, $inc: { rev: 1 } });
    },
  };
}

const counted = (_id: string, name: string): Filter => ({ _id, [`reserved.${name}`]: { $exists: true } });
