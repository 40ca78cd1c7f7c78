import type { Collection, CollectionSpec, Store } from '../port.ts';

/** The token of a browser that helps to link a device with a passkey. The token itself is not stored. */
export interface CeremonyRow {
  /** SHA-256 of the token, hex. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** The id of the ceremony in the device's `pairing`, and in its `linked_ceremony` afterwards. */
  readonly ceremony: string;
  /** Epoch ms. */
  readonly expires_at: number;
}

/**
 * Which device a token of a ceremony belongs to. How far the ceremony is stands in the row of the device alone, so a device that starts over
 * ends the ceremony without a write here. Rows go by themselves ten minutes after the network asked for the passkey.
 */
export interface Ceremonies {
  /** Any number of times. */
  keep(row: CeremonyRow): Promise<void>;
  /** null: unknown, or ended by `now` (epoch ms). */
  find(hash: string, now: number): Promise<CeremonyRow | null>;
}

const spec: CollectionSpec = { name: 'passkey_ceremonies', indexes: [], expires: 'expires_at' };

export function ceremoniesIn(store: Store): Ceremonies {
  const ceremonies: Collection<CeremonyRow> = store.collection<CeremonyRow>(spec);
  return {
    keep: async ({ _id, ...row }) => void (await ceremonies.updateOne({ _id }, { $set: row }, { upsert: true })),
    find: (_id, now) => ceremonies.findOne({ _id, expires_at: { $gt: now } }),
  };
}
