import type { Collection, CollectionSpec, Store } from '../port.ts';

/** Kept for as long as a block can count as a complaint. Contains only a keyed hash of the chat. */
interface BlockRow {
  readonly _id: string;
  readonly key: string;
  readonly at: number;
  readonly expires_at: number;
}

export interface DeviceBlocks {
  add(sessionId: string, key: string, at: number, expiresAt: number): Promise<void>;
  remove(sessionId: string, key: string): Promise<void>;
  of(sessionId: string, limit: number): Promise<readonly Pick<BlockRow, 'key' | 'at'>[]>;
}

const spec: CollectionSpec = { name: 'device_blocks', indexes: [], expires: 'expires_at' };

export function deviceBlocksIn(store: Store): DeviceBlocks {
  const blocks: Collection<BlockRow> = store.collection<BlockRow>(spec);
  const idOf = (sessionId: string, key: string): string => `${sessionId}:${key}`;

  return {
    async add(sessionId, key, at, expires_at) {
      await blocks.updateOne({ _id: idOf(sessionId, key) }, { $setOnInsert: { key, at, expires_at } }, { upsert: true });
    },
    remove: async (sessionId, key) => void (await blocks.deleteOne({ _id: idOf(sessionId, key) })),
    of: (sessionId, limit) => blocks.find({ _id: { $gt: `${sessionId}:`, $lt: `${sessionId};` } }, { limit }).toArray(),
  };
}
