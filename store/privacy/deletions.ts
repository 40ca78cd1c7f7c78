import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import type { TenantScope } from './belongings.ts';

/** Progress of an account's deletion. The row does not identify a person and is kept. */
export interface DeletionRow {
  readonly _id: string;
  readonly open: boolean;
  readonly requested_at: number;
  readonly effective_at: number;
  readonly ended: boolean;
  /** Whether removal has started; the deletion can then no longer be cancelled. */
  readonly begun: boolean;
  readonly scope?: TenantScope;
  readonly claimed_until: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly done_at: number | null;
}

/** Claims expire, so that another worker continues after a crash. */
export interface Deletions {
  add(row: DeletionRow): Promise<DeletionRow>;
  find(tenantId: string): Promise<DeletionRow | null>;
  withdraw(tenantId: string, now: number): Promise<boolean>;
  waiting(now: number): Promise<readonly string[]>;
  claim(tenantId: string, now: number, until: number): Promise<DeletionRow | null>;
  start(row: DeletionRow, scope: TenantScope): Promise<boolean>;
  renew(row: DeletionRow, claimedUntil: number): Promise<boolean>;
  release(row: DeletionRow, patch: Partial<Pick<DeletionRow, 'ended' | 'counts'>>, from: number): Promise<void>;
  finish(row: DeletionRow, doneAt: number): Promise<void>;
}

const spec: CollectionSpec = {
  name: 'account_deletions',
  indexes: [{ name: 'open', keys: { claimed_until: 1 }, where: { open: true } }],
};
const MAX_WAITING = 10_000;

export function deletionsIn(store: Store): Deletions {
  const rows: Collection<DeletionRow> = store.collection<DeletionRow>(spec);
  const held = ({ _id, claimed_until }: DeletionRow) => ({ _id, claimed_until, open: true });

  return {
    async add(row) {
      try {
        await rows.insertOne(row);
        return row;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return (await rows.findOne({ _id: row._id })) ?? row;
      }
    },
    find: (_id) => rows.findOne({ _id }),
    withdraw: async (_id, now) => (await rows.deleteOne({ _id, open: true, begun: false, effective_at: { $gt: now } })).deletedCount === 1,
    async waiting(now) {
      const found = await rows.find({ open: true, claimed_until: { $lte: now } }, { projection: { _id: 1 }, limit: MAX_WAITING }).toArray();
      return found.map(({ _id }) => _id);
    },
    claim: (_id, now, claimed_until) =>
      rows.findOneAndUpdate({ _id, open: true, claimed_until: { $lte: now } }, { $set: { claimed_until } }, { returnDocument: 'after' }),
    renew: async (row, claimed_until) => (await rows.updateOne(held(row), { $set: { claimed_until } })).matchedCount === 1,
    start: async (row, scope) => (await rows.updateOne(held(row), { $set: { begun: true, scope } })).matchedCount === 1,
    release: async (row, patch, claimed_until) => void (await rows.updateOne(held(row), { $set: { ...patch, claimed_until } })),
    finish: async (row, done_at) => void (await rows.updateOne(held(row), { $set: { open: false, done_at }, $unset: { scope: 1 } })),
  };
}
