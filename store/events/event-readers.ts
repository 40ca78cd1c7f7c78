import { whileUnchanged } from '../patterns/while-unchanged.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface ReaderOwner {
  readonly kind: 'key' | 'login';
  readonly id: string;
}

export interface EventReader {
  readonly name: string;
  readonly owner: ReaderOwner;
  readonly events: readonly string[] | null;
  readonly since: number;
  /** True if an earlier reader with this name was ended, in which case events may be missing. */
  readonly again: boolean;
  readonly last_pull_at: number;
  /** Ended readers are kept, so that a new reader with the same name learns of the gap. */
  readonly ended_at: number | null;
}

/** One document holds all readers of a tenant, so that a single write can limit their number. */
interface ReadersRow {
  readonly _id: string;
  readonly rev: number;
  readonly readers: readonly EventReader[];
  readonly expires_at: number;
}

export interface ReadersChange<T> {
  readonly readers: readonly EventReader[] | null;
  readonly result: T;
}

export interface EventReaders {
  list(tenantId: string): Promise<readonly EventReader[]>;
  /** Applies a change exactly once. `change` may be called again, and its errors are rethrown. */
  change<T>(tenantId: string, expiresAt: number, change: (readers: readonly EventReader[]) => ReadersChange<T>): Promise<T>;
}

const spec: CollectionSpec = { name: 'event_readers', indexes: [], expires: 'expires_at' };

const TENANTS = 1_000;

export function eventReadersIn(store: Store): EventReaders {
  const rows: Collection<ReadersRow> = store.collection<ReadersRow>(spec);
  const remembered = whileUnchanged<readonly EventReader[]>(store, spec, TENANTS);

  async function replace(
    found: ReadersRow | null,
    tenantId: string,
    readers: readonly EventReader[],
    expires_at: number,
  ): Promise<boolean> {
    if (found) {
      const { rev } = found;
      return (await rows.updateOne({ _id: tenantId, rev }, { $set: { rev: rev + 1, readers, expires_at } })).matchedCount === 1;
    }
    try {
      await rows.insertOne({ _id: tenantId, rev: 1, readers, expires_at });
      return true;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return false;
    }
  }

  return {
    list: (tenantId) => remembered(tenantId, async () => (await rows.findOne({ _id: tenantId }))?.readers ?? []),

    async change(tenantId, expiresAt, change) {
      for (;;) {
        const found = await rows.findOne({ _id: tenantId });
        const { readers, result } = change(found?.readers ?? []);
        if (readers === null || (await replace(found, tenantId, readers, expiresAt))) return result;
      }
    },
  };
}
