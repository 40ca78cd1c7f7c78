import type { Collection, CollectionSpec, Store } from '../port.ts';

/**
 * People whom the account of a device blocked, for as long as they may count as a complaint. A row
 * names the chat by a keyed hash only. Unblocking removes it, so there is one for each person.
 */
interface BlockRow {
  /** `<device>:<key of the chat>`. */
  readonly _id: string;
  readonly key: string;
  readonly at: number;
  readonly expires_at: number;
}

export interface DeviceBlocks {
  /** Blocked at `at` (epoch ms), who is forgotten at `expiresAt`. */
  add(sessionId: string, key: string, at: number, expiresAt: number): Promise<void>;
  remove(sessionId: string, key: string): Promise<void>;
  /** In no order, at most `limit`. */
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
