import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Sealer } from '../../../runtime/sealing/seal.ts';
import type { CredentialRows, KeyEntry, StoredCredentials } from '../../../store/devices/credentials.ts';

/** Sealed values by name, cached because most values in a device's writes have not changed. */
type Sealed = ReadonlyMap<string, KeyEntry>;

const REMEMBERED_DEVICES = 2_000;

/** Seals values when they are stored. Values that are not sealed yet are read unchanged. */
export function sealedCredentials(credentialRows: CredentialRows, sealer: Sealer): CredentialRows {
  const memory = new RecentCache<string, Sealed>(REMEMBERED_DEVICES);

  function opened(generation: string, { name, rev, value }: KeyEntry): KeyEntry {
    return { name, rev, value: value === null ? null : sealer.open(generation, aboutOf(name, rev), value) };
  }

  function sealed(generation: string, { name, rev, value }: KeyEntry): KeyEntry {
    const before = memory.get(generation)?.get(name);
    if (before?.rev === rev) return before;
    return { name, rev, value: value === null ? null : sealer.seal(generation, aboutOf(name, rev), value) };
  }

  function remember(generation: string, entries: readonly KeyEntry[]): void {
    memory.set(generation, new Map(entries.map((entry) => [entry.name, entry])));
  }

  function takenOf({ generation, term, fresh }: StoredCredentials): StoredCredentials {
    remember(
      generation,
      fresh.filter(({ value }) => value === null || sealer.isFresh(value)),
    );
    return { generation, term, fresh: fresh.map((entry) => opened(generation, entry)) };
  }

  return {
    ...credentialRows,

    async take(owner) {
      const taken = await credentialRows.take(owner);
      return taken && takenOf(taken);
    },

    commit(owner, { generation, term, fresh }) {
      const entries = fresh.map((entry) => sealed(generation, entry));
      remember(generation, entries);
      return credentialRows.commit(owner, { generation, term, fresh: entries });
    },

    keep: (owner, generation, entries) =>
      credentialRows.keep(
        owner,
        generation,
        entries.map((entry) => sealed(generation, entry)),
      ),

    async read(generation, names) {
      return (await credentialRows.read(generation, names)).map((entry) => opened(generation, entry));
    },

    async list(generation, kind) {
      return (await credentialRows.list(generation, kind)).map((entry) => opened(generation, entry));
    },
  };
}

/** Returns the text that a seal is bound to. The revision prevents replacement by an older value. */
export const aboutOf = (name: string, rev: number): string => `${name} ${rev}`;
