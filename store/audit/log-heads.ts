/**
 * Signed heads in the collection `audit_heads`, which record how far each audit log reaches. If the
 * entry named by a head is missing, the log was truncated. A log gets its head before its first
 * entry, and never later, so a deleted head is not silently replaced. A head advances after each
 * entry is stored, so after a crash it may be behind its log, but never ahead. It advances only
 * from an entry that the log still has, so the head of a truncated log no longer moves.
 */

import { createHmac } from 'node:crypto';
import { insertedOf } from '../patterns/insert-missing.ts';
import { type Collection, isUnreadable, type Store } from '../port.ts';
import { type ChainHead, isHead, isSame, NO_HEAD } from './chain.ts';

interface HeadRow extends ChainHead {
  readonly _id: string;
  readonly removed: boolean;
  readonly signature: string;
}

/** `isSound` is true if the head was written by someone with the key. */
export interface StoredHead {
  readonly head: ChainHead;
  readonly isRemoved: boolean;
  readonly isSound: boolean;
}

export interface LogHeads {
  find(tenantId: string): Promise<StoredHead | null>;
  begin(tenantId: string): Promise<void>;
  move(tenantId: string, before: ChainHead, head: ChainHead): Promise<boolean>;
  /** Call this before the log is removed. */
  markRemoved(tenantId: string): Promise<void>;
  remove(tenantId: string): Promise<void>;
  tenants(): Promise<readonly string[]>;
}

export function logHeadsIn(store: Store, key: Buffer): LogHeads {
  const heads: Collection<HeadRow> = store.collection<HeadRow>({ name: 'audit_heads', indexes: [] });

  const signed = (tenantId: string, { seq, mac }: ChainHead, removed = false): Omit<HeadRow, '_id'> => ({
    seq,
    mac,
    removed,
    signature: createHmac('sha256', key).update(`head\n${tenantId}\n${seq}\n${mac}\n${removed}`).digest('hex'),
  });

  return {
    async find(tenantId) {
      try {
        const row = await heads.findOne({ _id: tenantId });
        if (!row) return null;
        const { seq, mac, removed, signature } = row;
        const isWhole = isHead(row) && typeof removed === 'boolean';
        const isSound = isWhole && isSame(signature, signed(tenantId, row, removed).signature);
        return { head: { seq, mac }, isRemoved: isSound && removed, isSound };
      } catch (cause) {
        if (!isUnreadable(cause)) throw cause;
        return { head: NO_HEAD, isRemoved: false, isSound: false };
      }
    },
    begin: async (tenantId) => void (await insertedOf(heads, [{ _id: tenantId, ...signed(tenantId, NO_HEAD) }])),
    async move(tenantId, before, head) {
      const { signature } = signed(tenantId, before);
      return (await heads.updateOne({ _id: tenantId, signature }, { $set: signed(tenantId, head) })).matchedCount === 1;
    },
    markRemoved: async (tenantId) =>
      void (await heads.updateOne({ _id: tenantId }, { $set: signed(tenantId, NO_HEAD, true) }, { upsert: true })),
    remove: async (tenantId) => void (await heads.deleteOne({ _id: tenantId })),
    tenants: async () => (await heads.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
  };
}
