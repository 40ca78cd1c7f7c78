import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** An `Idempotency-Key` of a tenant and the id of the record created under it. Times are epoch ms. */
export interface KeyRow {
  /** `<tenant>:<key>`. */
  readonly _id: string;
  /** Keyed hash of the request: without our key it says nothing of the number and the text in it. */
  readonly fingerprint: string;
  /** Chosen before the message is stored, so that every caller stores the same one. */
  readonly message_id: string;
  /** When the caller who sends it now began to. */
  readonly claimed_at: number;
  readonly expires_at: number;
  /** The answer of the call as JSON; absent: it is under way, or its answer follows from the message. */
  readonly answer?: string;
}

export interface IdempotencyKeys {
  /** The fingerprint of a request of a tenant, as text. */
  fingerprint(tenantId: string, request: string): string;
  /** Takes a key that is free or past its time; otherwise who has it. */
  claim(row: KeyRow): Promise<{ readonly row: KeyRow; readonly isMine: boolean }>;
  /** Goes on where the caller that had the key died; false: another caller does. */
  takeOver(row: KeyRow, now: number): Promise<boolean>;
  /** It is done, and this is the answer from now on; unless another caller took over: then its answer counts. */
  answered(row: KeyRow, answer: string): Promise<void>;
  /** Nothing was sent: the key is free again. */
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
      // The key may be released between two looks, so both are taken again.
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
