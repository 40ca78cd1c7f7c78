import type { Collection, CollectionSpec, Store } from '../port.ts';

/** The erasure of one person. Times are epoch ms. */
export interface ErasureRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** Their number, sealed; absent: it is done, and the number is gone. */
  readonly subject?: string;
  /** Keyed hash of the number. */
  readonly phone_hash: string;
  /** There is something to do. */
  readonly open: boolean;
  /** Steps that are done. */
  readonly step: number;
  /** Somebody works on it until then, unless they died. */
  readonly claimed_until: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly created_at: number;
  readonly done_at: number | null;
  readonly proof: string | null;
}

/** Why somebody must not be erased. */
export interface HoldRow {
  /** `<tenant>:<keyed hash of the number>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly reason: string;
  readonly until: number;
  readonly created_at: number;
}

export interface Erasures {
  add(row: ErasureRow): Promise<void>;
  find(tenantId: string, id: string): Promise<ErasureRow | null>;
  list(
    tenantId: string,
    page: { readonly limit: number; readonly before: number | null; readonly beforeId: string | null },
  ): Promise<ErasureRow[]>;
  countOpen(tenantId: string, limit: number): Promise<number>;
  /** Takes one that nobody works on; null: there is none. */
  claim(now: number, until: number): Promise<ErasureRow | null>;
  /** Notes the next step, and holds it until `until`; false: somebody else has it by now. */
  advance(row: ErasureRow, counts: ErasureRow['counts'], until: number): Promise<ErasureRow | null>;
  /** Nobody works on it, before `from` either. */
  release(row: ErasureRow, from: number): Promise<void>;
  finish(row: ErasureRow, doneAt: number, proof: string): Promise<void>;
  /** Of holds. */
  hold(row: HoldRow): Promise<HoldRow>;
  holdOf(id: string, now: number): Promise<HoldRow | null>;
  /** False: there was none. */
  endHold(id: string): Promise<boolean>;
}

const spec: CollectionSpec = {
  name: 'privacy_erasures',
  indexes: [
    { name: 'newest', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'open', keys: { claimed_until: 1 }, where: { open: true } },
    { name: 'open_of_tenant', keys: { tenant_id: 1 }, where: { open: true } },
  ],
};
const holdsSpec: CollectionSpec = { name: 'privacy_holds', indexes: [{ name: 'by_tenant', keys: { tenant_id: 1 } }] };

export function erasuresIn(store: Store): Erasures {
  const rows: Collection<ErasureRow> = store.collection<ErasureRow>(spec);
  const holds: Collection<HoldRow> = store.collection<HoldRow>(holdsSpec);

  return {
    add: async (row) => void (await rows.insertOne(row)),
    find: (tenant_id, _id) => rows.findOne({ _id, tenant_id }),
    list(tenant_id, { limit, before, beforeId }) {
      const older = before === null ? {} : { $or: [{ created_at: { $lt: before } }, { created_at: before, _id: { $lt: beforeId ?? '' } }] };
      return rows.find({ tenant_id, ...older }, { sort: { created_at: -1, _id: -1 }, limit }).toArray();
    },
    countOpen: (tenant_id, limit) => rows.countDocuments({ tenant_id, open: true }, { limit }),
    claim: (now, claimed_until) =>
      rows.findOneAndUpdate(
        { open: true, claimed_until: { $lte: now } },
        { $set: { claimed_until } },
        { sort: { claimed_until: 1 }, returnDocument: 'after' },
      ),
    advance: ({ _id, claimed_until, step }, counts, until) =>
      rows.findOneAndUpdate(
        { _id, claimed_until, step, open: true },
        { $set: { counts, step: step + 1, claimed_until: until } },
        { returnDocument: 'after' },
      ),
    release: async ({ _id, claimed_until }, from) =>
      void (await rows.updateOne({ _id, claimed_until, open: true }, { $set: { claimed_until: from } })),
    finish: async ({ _id, claimed_until }, done_at, proof) =>
      void (await rows.updateOne({ _id, claimed_until, open: true }, { $set: { open: false, done_at, proof }, $unset: { subject: 1 } })),

    async hold({ _id, ...fields }) {
      await holds.updateOne({ _id }, { $set: fields }, { upsert: true });
      return { _id, ...fields };
    },
    holdOf: (_id, now) => holds.findOne({ _id, until: { $gt: now } }),
    endHold: async (_id) => (await holds.deleteOne({ _id })).deletedCount === 1,
  };
}
