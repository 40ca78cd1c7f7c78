import { present } from '../../runtime/invariant.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Which tenants have something to do and when, so that their actor wakes for it. Times are epoch ms. */
export interface WakeupRow {
  /** The tenant. */
  readonly _id: string;
  /** Not later than the first thing that is due; null: nothing is. */
  readonly due_at: number | null;
  /** Counts the entries, so that an acknowledgement does not cover later ones. */
  readonly rev: number;
  /** Counts those of them that concern sends for later; absent: none ever did. */
  readonly sends_rev?: number;
  /** The same for its account. */
  readonly billing_rev?: number;
  /** The same of questions for AI replies. */
  readonly questions_rev?: number;
  /** Raised at each change of owner: a write that carries an older one changes nothing. */
  readonly epoch: number;
  readonly node: string | null;
}

/** The fencing data of the owner of a tenant's actor. */
export interface TenantOwner {
  readonly tenantId: string;
  readonly epoch: number;
}

export interface Wakeups {
  /** There is something to look at, now or later. Repeating it costs a wake-up at most. */
  put(tenantId: string, now: number, what?: 'sends' | 'billing' | 'questions'): Promise<void>;
  /** Takes ownership for `node`: raises the epoch. */
  own(tenantId: string, node: string): Promise<WakeupRow>;
  find(tenantId: string): Promise<WakeupRow | null>;
  /** The entries up to `rev` are done, the next one is due at `dueAt`; false: more came since, or another owner. */
  done(owner: TenantOwner, rev: number, dueAt: number | null): Promise<boolean>;
  /** Tenants whose time has come. */
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
