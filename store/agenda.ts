import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from './collection.ts';

/** Which tenants have something to do and when, so that their actor wakes for it. Times are epoch ms. */
export interface AgendaRow {
  /** The tenant. */
  readonly _id: string;
  /** Not later than the first thing that is due; null: nothing is. */
  readonly due_at: number | null;
  /** Counts what was put on it, so that nobody crosses off what came meanwhile. */
  readonly rev: number;
  /** Counts those of them that concern sends for later; absent: none ever did. */
  readonly sends_rev?: number;
  /** Raised at each change of owner: a write that carries an older one changes nothing. */
  readonly epoch: number;
  readonly node: string | null;
}

/** What the owner of a tenant's actor presents with each write. */
export interface TenantOwner {
  readonly tenantId: string;
  readonly epoch: number;
}

export interface Agenda {
  /** There is something to look at, now or later. Repeating it costs a wake-up at most. */
  put(tenantId: string, now: number, what?: 'sends'): Promise<void>;
  /** Takes ownership for `node`: raises the epoch. */
  own(tenantId: string, node: string): Promise<AgendaRow>;
  find(tenantId: string): Promise<AgendaRow | null>;
  /** What was there at `rev` is done, the next thing is due at `dueAt`; false: more came since, or another owner. */
  done(owner: TenantOwner, rev: number, dueAt: number | null): Promise<boolean>;
  /** Tenants whose time has come. */
  due(now: number): Promise<readonly string[]>;
}

const spec: CollectionSpec = { name: 'agenda', indexes: [{ name: 'due', keys: { due_at: 1 }, where: { due_at: { $gte: 0 } } }] };

export function agendaIn(store: Store): Agenda {
  const agenda: Collection<AgendaRow> = store.collection<AgendaRow>(spec);

  return {
    async put(_id, now, what) {
      const update = { $set: { due_at: now }, $inc: { rev: 1, ...(what === 'sends' && { sends_rev: 1 }) } };
      try {
        await agenda.updateOne({ _id }, { ...update, $setOnInsert: { epoch: 0, node: null } }, { upsert: true });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        await agenda.updateOne({ _id }, update);
      }
    },

    async own(_id, node) {
      const update = { $set: { node }, $inc: { epoch: 1 } };
      const made = { $setOnInsert: { due_at: null, rev: 0 } };
      const row = await agenda.findOneAndUpdate({ _id }, { ...update, ...made }, { upsert: true, returnDocument: 'after' });
      return row!;
    },

    find: (_id) => agenda.findOne({ _id }),

    async done({ tenantId, epoch }, rev, due_at) {
      return (await agenda.updateOne({ _id: tenantId, rev, epoch }, { $set: { due_at } })).matchedCount === 1;
    },

    due: async (now) => (await agenda.find({ due_at: { $gte: 0, $lte: now } }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
  };
}
