import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Builds of the network's web client: the last number of `2.3000.<build>`. Times in epoch ms. */
export interface Builds {
  /** Pinned by an operator; null if the gateway chooses. */
  readonly pinned: { readonly build: number; readonly at: number } | null;
  /** The build with which a canary logged in successfully. */
  readonly proven: { readonly build: number; readonly at: number } | null;
  readonly candidate: { readonly build: number; readonly at: number } | null;
  /** A build found by one lookup. `checked`: whether the confirming lookup has started. */
  readonly seen: { readonly build: number; readonly at: number; readonly checked: boolean } | null;
  /** The one device that tries a candidate. `opened_at`: online since; null while offline. */
  readonly canary: {
    readonly session_id: string;
    readonly build: number;
    readonly since: number;
    readonly opened_at: number | null;
    readonly losses: number;
  } | null;
  /** Builds that the network rejected, newest first. */
  readonly refused: readonly RefusedBuild[];
  /** When the last daily lookup and the last lookup after a rejection started; null if never. */
  readonly looked_at: number | null;
  readonly urgent_at: number | null;
  /** When the network will stop accepting a build, as announced; null if it was not announced. */
  readonly expires: { readonly build: number; readonly at: number } | null;
}

export interface RefusedBuild {
  readonly build: number;
  readonly code: number;
  readonly at: number;
  readonly by_canary: boolean;
}

interface ClientBuildRow extends Builds {
  readonly _id: string;
  readonly writes: number;
}

/** `writes` counts writes: a change is stored only if the record was not written since it was read. */
export interface StoredBuilds {
  readonly builds: Builds;
  readonly writes: number;
}

export interface ClientBuilds {
  /** Returns the record; null if nothing is stored yet. */
  read(): Promise<StoredBuilds | null>;
  /** `after`: `writes` when read, 0 if nothing was stored. Returns false if another write happened since. */
  write(builds: Builds, after: number): Promise<boolean>;
}

const spec: CollectionSpec = { name: 'client_builds', indexes: [] };
const ID = 'current';

export function clientBuildsIn(store: Store): ClientBuilds {
  const rows: Collection<ClientBuildRow> = store.collection<ClientBuildRow>(spec);
  return {
    async read() {
      const row = await rows.findOne({ _id: ID });
      if (!row) return null;
      const { _id, writes, ...builds } = row;
      return { builds, writes };
    },

    async write(builds, after) {
      const next = { ...builds, writes: after + 1 };
      if (after > 0) return (await rows.updateOne({ _id: ID, writes: after }, { $set: next })).matchedCount === 1;
      try {
        await rows.insertOne({ _id: ID, ...next });
        return true;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return false;
      }
    },
  };
}
