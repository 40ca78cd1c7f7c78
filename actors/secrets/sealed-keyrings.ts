import { Recent } from '../../runtime/recent.ts';
import type { KeyEntry, Keyring, Keyrings } from '../../store/keyrings.ts';
import type { Sealer } from './seal.ts';

/** What was sealed last, by name: with each change of a device's secrets the store gets all that is fresh, of which most was sealed before. */
type Sealed = ReadonlyMap<string, KeyEntry>;

const REMEMBERED_DEVICES = 2_000;

/** The secrets of devices, sealed before the store sees them. What it has unsealed is read as it is, and sealed with the next change. */
export function sealedKeyrings(keyrings: Keyrings, sealer: Sealer): Keyrings {
  const memory = new Recent<string, Sealed>(REMEMBERED_DEVICES);

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

  function takenOf({ generation, term, fresh }: Keyring): Keyring {
    remember(
      generation,
      fresh.filter(({ value }) => value === null || sealer.isFresh(value)),
    );
    return { generation, term, fresh: fresh.map((entry) => opened(generation, entry)) };
  }

  return {
    ...keyrings,

    async take(owner) {
      const taken = await keyrings.take(owner);
      return taken && takenOf(taken);
    },

    commit(owner, { generation, term, fresh }) {
      const entries = fresh.map((entry) => sealed(generation, entry));
      remember(generation, entries);
      return keyrings.commit(owner, { generation, term, fresh: entries });
    },

    keep: (owner, generation, entries) =>
      keyrings.keep(
        owner,
        generation,
        entries.map((entry) => sealed(generation, entry)),
      ),

    async read(generation, names) {
      return (await keyrings.read(generation, names)).map((entry) => opened(generation, entry));
    },

    async list(generation, kind) {
      return (await keyrings.list(generation, kind)).map((entry) => opened(generation, entry));
    },
  };
}

/** Its name, and which of its changes: an older one in its place is no secret of ours. */
export const aboutOf = (name: string, rev: number): string => `${name} ${rev}`;
