import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** A build of the network's web client is the last number of its version, `2.3000.<build>`. Times are epoch ms. */
export interface Builds {
  /** By an operator; null: the gateway chooses. */
  readonly pinned: { readonly build: number; readonly at: number } | null;
  /** Looked up, and good: a canary logged in with it. */
  readonly proven: { readonly build: number; readonly at: number } | null;
  /** Looked up and confirmed: the next canary tries it. */
  readonly candidate: { readonly build: number; readonly at: number } | null;
  /** Looked up once. `checked`: the second look was begun. */
  readonly seen: { readonly build: number; readonly at: number; readonly checked: boolean } | null;
  /** The one device that logs in with a candidate. `opened_at`: online since; null: it is not, since `since`. */
  readonly canary: {
    readonly session_id: string;
    readonly build: number;
    readonly since: number;
    readonly opened_at: number | null;
    readonly losses: number;
  } | null;
  /** What the network refused, newest first. */
  readonly refused: readonly RefusedBuild[];
  /** When the daily look-up, and the last one after a refusal, were begun; null: never. */
  readonly looked_at: number | null;
  readonly urgent_at: number | null;
  /** The network told when it will refuse this build; null: it did not. */
  readonly expires: { readonly build: number; readonly at: number } | null;
}

export interface RefusedBuild {
  readonly build: number;
  /** The network's number. */
  readonly code: number;
  readonly at: number;
  readonly by_canary: boolean;
}

interface ClientBuildRow extends Builds {
  readonly _id: string;
  readonly writes: number;
}

/** `writes` counts the writes so far: a change is stored only where nobody else stored one since it was read. */
export interface StoredBuilds {
  readonly builds: Builds;
  readonly writes: number;
}

/** The one record of a cluster about builds of the client. */
export interface ClientBuilds {
  /** Null: nothing is stored yet. */
  read(): Promise<StoredBuilds | null>;
  /** `after`: the writes that were read, 0 where nothing was. False: somebody else wrote meanwhile. */
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
