import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface KeyRow {
  readonly _id: string;
  /** A keyed hash, which does not reveal the number or text without our key. */
  readonly fingerprint: string;
  /** Chosen before the message is stored, so that all callers with this key store the same message. */
  readonly message_id: string;
  readonly claimed_at: number;
  readonly expires_at: number;
  /** The response. Absent while the call runs, or if it can be derived from the message. */
  readonly answer?: string;
}

export interface IdempotencyKeys {
  fingerprint(tenantId: string, request: string): string;
  claim(row: KeyRow): Promise<{ readonly row: KeyRow; readonly isMine: boolean }>;
  /** Takes over the key from a crashed caller. Returns false if another caller got there first. */
  takeOver(row: KeyRow, now: number): Promise<boolean>;
  answered(row: KeyRow, answer: string): Promise<void>;
  release(row: KeyRow): Promise<void>;
}

const spec: CollectionSpec = { name: 'idempotency', indexes: [], expires: 'expires_at' };

export function idempotencyIn(store: Store, keyedHash: (group: string, text: string) => string): IdempotencyKeys {
  const keys: Collection<KeyRow> = store.collection<KeyRow>(spec);

  async function insert(row: KeyRow): Promise<boolean> {
    try {
      await keys.insertOne(row);
      return true;
    } catch (cause) {
      if (isDuplicateKey(cause)) return false;
      throw cause;
    }
  }

  async function renew({ _id, ...fresh }: KeyRow): Promise<boolean> {
    return (
      (await keys.updateOne({ _id, expires_at: { $lte: fresh.claimed_at } }, { $set: fresh, $unset: { answer: '' } })).matchedCount === 1
    );
  }

  return {
    fingerprint: (tenantId, request) => keyedHash(tenantId, `request ${request}`),

    async claim(row) {
      // The key may be released between the failed insert and the read. Both are then tried again.
      for (;;) {
        if ((await insert(row)) || (await renew(row))) return { row, isMine: true };
        const there = await keys.findOne({ _id: row._id });
        if (there) return { row: there, isMine: false };
      }
    },

    async takeOver({ _id, message_id, claimed_at }, now) {
      return (await keys.updateOne({ _id, message_id, claimed_at }, { $set: { claimed_at: now } })).matchedCount === 1;
    },

    async answered({ _id, message_id, claimed_at }, answer) {
      await keys.updateOne({ _id, message_id, claimed_at }, { $set: { answer } });
    },

    release: async ({ _id, message_id, claimed_at }) => void (await keys.deleteOne({ _id, message_id, claimed_at })),
  };
}
