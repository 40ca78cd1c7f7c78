import { present } from '../../runtime/invariant.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface WakeupRow {
  readonly _id: string;
  /** A time no later than the first due work; null if no work is due. */
  readonly due_at: number | null;
  /** Number of entries so far, so that an acknowledgement does not cover later ones. */
  readonly rev: number;
  readonly sends_rev?: number;
  readonly billing_rev?: number;
  readonly questions_rev?: number;
  readonly epoch: number;
  readonly node: string | null;
}

export interface TenantOwner {
  readonly tenantId: string;
  readonly epoch: number;
}

export interface Wakeups {
  /** Repeating a call causes at most one extra wakeup. */
  put(tenantId: string, now: number, what?: 'sends' | 'billing' | 'questions'): Promise<void>;
  own(tenantId: string, node: string): Promise<WakeupRow>;
  find(tenantId: string): Promise<WakeupRow | null>;
  /** Returns false if entries were added or another owner has taken over. */
  done(owner: TenantOwner, rev: number, dueAt: number | null): Promise<boolean>;
  due(now: number): Promise<readonly string[]>;
}

const spec: CollectionSpec = { name: 'wakeups', indexes: [{ name: 'due', keys: { due_at: 1 }, where: { due_at: { $gte: 0 } } }] };

export function wakeupsIn(store: Store): Wakeups {
  const wakeups: Collection<WakeupRow> = store.collection<WakeupRow>(spec);

  return {
    async put(_id, now, what) {
      const update = { $set: { due_at: now }, $inc: { rev: 1, ...(what && { [`${what}_rev`]: 1 }) } };
      try {
        await wakeups.updateOne({ _id }, { ...update, $setOnInsert: { epoch: 0, node: null } }, { upsert: true });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        await wakeups.updateOne({ _id }, update);
      }
    },

    async own(_id, node) {
      const update = { $set: { node }, $inc: { epoch: 1 } };
      const made = { $setOnInsert: { due_at: null, rev: 0 } };
      const row = await wakeups.findOneAndUpdate({ _id }, { ...update, ...made }, { upsert: true, returnDocument: 'after' });
      return present(row, 'the wakeup just written');
    },

    find: (_id) => wakeups.findOne({ _id }),

    async done({ tenantId, epoch }, rev, due_at) {
      return (await wakeups.updateOne({ _id: tenantId, rev, epoch }, { $set: { due_at } })).matchedCount === 1;
    },

    due: async (now) =>
      (await wakeups.find({ due_at: { $gte: 0, $lte: now } }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
  };
}
