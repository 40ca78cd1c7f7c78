import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface CeremonyRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** The ceremony's id in the device's `pairing`, and later in its `linked_ceremony`. */
  readonly ceremony: string;
  readonly expires_at: number;
}

/** Rows expire ten minutes after the passkey request. Progress is stored only in the device's row. */
export interface Ceremonies {
  keep(row: CeremonyRow): Promise<void>;
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
