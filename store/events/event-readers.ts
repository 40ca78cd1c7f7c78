import { whileUnchanged } from '../patterns/while-unchanged.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** The API key or the login that made a reader. */
export interface ReaderOwner {
  readonly kind: 'key' | 'login';
  readonly id: string;
}

/** A named reader of the pull log. Times are epoch ms. */
export interface EventReader {
  readonly name: string;
  readonly owner: ReaderOwner;
  /** The additional events that are recorded for it, with those that are recorded anyway; null: it named none. */
  readonly events: readonly string[] | null;
  /** When it was made. */
  readonly since: number;
  /** A reader of this name was ended before: what was recorded for that one has a gap. */
  readonly again: boolean;
  /** To the minute. */
  readonly last_pull_at: number;
  /** null while it reads. An ended one is remembered, so that its successor learns of the gap. */
  readonly ended_at: number | null;
}

/** All readers of a tenant: one document, so that their number is bounded by one write. */
interface ReadersRow {
  readonly _id: string;
  readonly rev: number;
  readonly readers: readonly EventReader[];
  readonly expires_at: number;
}

/** What a change of the readers gives its caller, and what they are after it; null: as they were. */
export interface ReadersChange<T> {
  readonly readers: readonly EventReader[] | null;
  readonly result: T;
}

export interface EventReaders {
  list(tenantId: string): Promise<readonly EventReader[]>;
  /** Carries out a change exactly once on what is stored, however many do so at once. `change` may be asked again; what it throws is thrown. */
  change<T>(tenantId: string, expiresAt: number, change: (readers: readonly EventReader[]) => ReadersChange<T>): Promise<T>;
}

const spec: CollectionSpec = { name: 'event_readers', indexes: [], expires: 'expires_at' };

/** Tenants whose readers are remembered while none changes: each event asks for them. */
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
