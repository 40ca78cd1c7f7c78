import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** Builds of the network's web client: the last number of `2.3000.<build>`. */
export interface Builds {
  readonly pinned: { readonly build: number; readonly at: number } | null;
  /** The newest build with which a canary device logged in successfully. */
  readonly proven: { readonly build: number; readonly at: number } | null;
  readonly candidate: { readonly build: number; readonly at: number } | null;
  readonly seen: { readonly build: number; readonly at: number; readonly checked: boolean } | null;
  /** The device that tries the candidate. `opened_at` is when it came online, or null while offline. */
  readonly canary: {
    readonly session_id: string;
    readonly build: number;
    readonly since: number;
    readonly opened_at: number | null;
    readonly losses: number;
  } | null;
  readonly refused: readonly RefusedBuild[];
  readonly looked_at: number | null;
  readonly urgent_at: number | null;
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

/** A change is stored only if `writes` is unchanged since the record was read. */
export interface StoredBuilds {
  readonly builds: Builds;
  readonly writes: number;
}

export interface ClientBuilds {
  read(): Promise<StoredBuilds | null>;
  /** `after` is the value of `writes` when read, or 0 if no record was stored. */
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
