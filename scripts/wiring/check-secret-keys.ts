import { type Sealer, SecretUnreadable } from '../../runtime/sealing/seal.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../../store/port.ts';

interface SampleRow {
  readonly _id: string;
  readonly sealed: string;
}

const spec: CollectionSpec = { name: 'sealed_samples', indexes: [] };
const SAMPLE = 'secrets of devices';

/**
 * Names its collection, which the store has to know before it is prepared; call what it gives after that. That rejects with an Error of one
 * sentence where the node has another key than its store's devices were linked with, before it takes one of them for lost.
 */
export function secretKeyCheck(store: Store, sealer: Sealer): () => Promise<void> {
  const samples: Collection<SampleRow> = store.collection<SampleRow>(spec);
  return () => check(samples, sealer);
}

/** Whether nodes have been started with the key that seals here: then each that runs can open what it seals. As above, call it later. */
export function secretKeyInUse(store: Store, sealer: Sealer): () => Promise<boolean> {
  const samples: Collection<SampleRow> = store.collection<SampleRow>(spec);
  return async () => {
    const kept = await samples.findOne({ _id: SAMPLE });
    return kept === null || sealer.isFresh(kept.sealed);
  };
}

async function check(samples: Collection<SampleRow>, sealer: Sealer): Promise<void> {
  const kept = await samples.findOne({ _id: SAMPLE });
  const fresh = { _id: SAMPLE, sealed: sealer.seal(SAMPLE, SAMPLE, SAMPLE) };
  if (!kept) return samples.insertOne(fresh).then(() => {}, unlessThere);
  try {
    sealer.open(SAMPLE, SAMPLE, kept.sealed);
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    throw new Error(
      'SECRETS_KEY (or JWT_SECRET, where it is not set) is not the key that sealed the secrets in this store: give this node the key of the other nodes (SECRETS_KEYS_BEFORE holds earlier keys), or a store of its own.',
    );
  }
  if (!sealer.isFresh(kept.sealed)) await samples.updateOne({ _id: SAMPLE }, { $set: { sealed: fresh.sealed } });
}

/** Another node came first. */
function unlessThere(cause: unknown): void {
  if (!isDuplicateKey(cause)) throw cause;
}
