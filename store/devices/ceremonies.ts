import type { Collection, CollectionSpec, Store } from '../port.ts';

/** The token with which a browser helps link a device by passkey. Only its hash is stored. */
export interface CeremonyRow {
  /** SHA-256 of the token, hex. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** The id of the ceremony in the device's `pairing`, and in its `linked_ceremony` afterwards. */
  readonly ceremony: string;
  readonly expires_at: number;
}

/**
 * Maps tokens of passkey ceremonies to devices; progress is only in the device's row. Rows expire
 * ten minutes after the network requested the passkey.
 */
export interface Ceremonies {
  /** Stores a token; may be repeated. */
  keep(row: CeremonyRow): Promise<void>;
  /** Finds a token; null if it is unknown or expired at `now` (epoch ms). */
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
