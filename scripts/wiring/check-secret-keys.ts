import { type Sealer, SecretUnreadable } from '../../runtime/sealing/seal.ts';
import { insertedOf } from '../../store/patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../../store/port.ts';

interface SampleRow {
  readonly _id: string;
  readonly sealed: string;
  readonly hash_key?: string;
}

export const SEALED_SAMPLES: CollectionSpec = { name: 'sealed_samples', indexes: [] };
const SAMPLE = 'secrets of devices';

const samplesIn = (store: Store): Collection<SampleRow> => store.collection<SampleRow>(SEALED_SAMPLES);

/** True only if every running node can decrypt secrets that this node seals. */
export async function isSecretKeyInUse(store: Store, sealer: Sealer): Promise<boolean> {
  const kept = await samplesIn(store).findOne({ _id: SAMPLE });
  return kept === null || sealer.isFresh(kept.sealed);
}

/**
 * Rejects if the store's secrets were sealed with another key. Otherwise, every device would count
 * as lost.
 */
export async function checkSecretKey(store: Store, sealer: Sealer): Promise<void> {
  const samples = samplesIn(store);
  const fresh: SampleRow = { _id: SAMPLE, sealed: sealer.seal(SAMPLE, SAMPLE, SAMPLE), hash_key: sealer.sealHashKey() };
  // If several nodes start together, the first one determines the values, which all of them use.
  await insertedOf(samples, [fresh]);
  const sealedOnly = await samples.findOne({ _id: SAMPLE, hash_key: { $exists: false } });
  try {
    if (sealedOnly) {
      sealer.open(SAMPLE, SAMPLE, sealedOnly.sealed);
      await samples.updateOne({ _id: SAMPLE, hash_key: { $exists: false } }, { $set: { hash_key: sealer.sealHashKey() } });
    }
    const { sealed, hash_key = '' } = (await samples.findOne({ _id: SAMPLE })) ?? fresh;
    sealer.open(SAMPLE, SAMPLE, sealed);
    sealer.useHashKey(hash_key);
    if (sealer.isFresh(sealed) && sealer.isFresh(hash_key)) return;
    await samples.updateOne({ _id: SAMPLE, sealed, hash_key }, { $set: { sealed: fresh.sealed, hash_key: sealer.sealHashKey() } });
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    throw new Error(
      'SECRETS_KEY (or JWT_SECRET, where it is not set) is not the key that sealed the secrets in this store: give this node the key of the other nodes (SECRETS_KEYS_BEFORE holds earlier keys), or a store of its own.',
    );
  }
}
