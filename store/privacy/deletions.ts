import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';
import type { TenantScope } from './belongings.ts';

/** The end of an account. It names nobody, and stays. Times are epoch ms. */
export interface DeletionRow {
  /** The tenant. */
  readonly _id: string;
  readonly open: boolean;
  readonly requested_at: number;
  /** It can be cancelled until then. */
  readonly effective_at: number;
  /** Logins and keys are ended, and devices logged out. */
  readonly ended: boolean;
  /** Something may be gone: it cannot be taken back any more, whatever a clock says. */
  readonly begun: boolean;
  /** What there was of the tenant when removing began; absent: it has not, or all is gone. */
  readonly scope?: TenantScope;
  /** Somebody works on it until then, unless they died. */
  readonly claimed_until: number;
  /** What was removed, by kind. */
  readonly counts: Readonly<Record<string, number>>;
  readonly done_at: number | null;
}

export interface Deletions {
  /** Gives the one that stands: this one, or an earlier one. */
  add(row: DeletionRow): Promise<DeletionRow>;
  find(tenantId: string): Promise<DeletionRow | null>;
  /** Takes it back; false: there is none, or it is too late. */
  withdraw(tenantId: string, now: number): Promise<boolean>;
  /** Tenants with one that nobody works on. */
  waiting(now: number): Promise<readonly string[]>;
  claim(tenantId: string, now: number, until: number): Promise<DeletionRow | null>;
  /** Removing begins. False: it was taken back, or is somebody else's by now. */
  start(row: DeletionRow, scope: TenantScope): Promise<boolean>;
  /** Holds it longer. False: it is somebody else's by now. */
  renew(row: DeletionRow, claimedUntil: number): Promise<boolean>;
  /** Nobody works on it, before `from` either. */
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
