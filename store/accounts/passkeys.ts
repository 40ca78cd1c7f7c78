import { inPlace, type Placed } from '../patterns/places.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface PasskeyRow extends Placed {
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  /** The agent's id, or the tenant's id for its owner. */
  readonly person: string;
  readonly name: string;
  readonly credential: string;
  /** COSE key, base64url. */
  readonly public_key: string;
  readonly host?: string;
  /** The authenticator's signature counter, or 0 if the authenticator has none. */
  readonly counter: number;
  readonly created_at: number;
}

interface PasskeyChallengeRow {
  /**
   * For a registration, the person's id, so that each person can have only one open registration.
   * For a sign-in, a new id.
   */
  readonly _id: string;
  readonly challenge: string;
  readonly expires_at: number;
}

export interface Passkeys {
  add(row: PasskeyRow, limit: number): Promise<boolean>;
  foreignHost(host: string): Promise<string | null>;
  byCredential(credential: string): Promise<PasskeyRow | null>;
  list(tenantId: string, person: string): Promise<PasskeyRow[]>;
  find(tenantId: string, person: string, id: string): Promise<PasskeyRow | null>;
  remove(tenantId: string, person: string, id: string): Promise<boolean>;
  removeOf(tenantId: string, person: string): Promise<void>;
  /** Returns false if the counter has changed from `from` or the passkey was removed. */
  advance(id: string, from: number, to: number): Promise<boolean>;
  putChallenge(id: string, challenge: string, expiresAt: number): Promise<void>;
  takeChallenge(id: string, challenge: string, now: number): Promise<boolean>;
}

const spec: CollectionSpec = {
  name: 'passkeys',
  indexes: [
    { name: 'by_credential', keys: { credential: 1 }, unique: true },
    { name: 'places', keys: { person: 1, place: 1 }, unique: true },
    { name: 'by_tenant', keys: { tenant_id: 1, person: 1, created_at: 1 } },
    { name: 'by_host', keys: { host: 1 }, where: { host: { $gte: '' } } },
  ],
};
const challengesSpec: CollectionSpec = { name: 'passkey_challenges', indexes: [], expires: 'expires_at' };

export function passkeysIn(store: Store): Passkeys {
  const passkeys: Collection<PasskeyRow> = store.collection<PasskeyRow>(spec);
  const challenges: Collection<PasskeyChallengeRow> = store.collection<PasskeyChallengeRow>(challengesSpec);

  return {
    async foreignHost(host) {
      for (const other of [
        { $gte: '', $lt: host },
        { $gte: '', $gt: host },
      ]) {
        const found = await passkeys.findOne({ host: other });
        if (found?.host !== undefined) return found.host;
      }
      return null;
    },

    async add(row, limit) {
      const write = (place: number) => passkeys.insertOne({ ...row, place });
      try {
        return (await inPlace(passkeys, { _id: row._id, among: { person: row.person } }, limit, write)) !== null;
      } catch (cause) {
        if (isDuplicateKey(cause)) return false;
        throw cause;
      }
    },
    byCredential: (credential) => passkeys.findOne({ credential }),
    list: (tenant_id, person) => passkeys.find({ tenant_id, person }, { sort: { created_at: 1 } }).toArray(),
    find: (tenant_id, person, _id) => passkeys.findOne({ _id, tenant_id, person }),
    remove: async (tenant_id, person, _id) => (await passkeys.deleteOne({ _id, tenant_id, person })).deletedCount === 1,
    removeOf: async (tenant_id, person) => void (await passkeys.deleteMany({ tenant_id, person })),
    advance: async (_id, counter, to) => (await passkeys.updateOne({ _id, counter }, { $set: { counter: to } })).matchedCount === 1,
    putChallenge: async (_id, challenge, expires_at) =>
      void (await challenges.updateOne({ _id }, { $set: { challenge, expires_at } }, { upsert: true })),
    takeChallenge: async (_id, challenge, now) =>
      (await challenges.deleteOne({ _id, challenge, expires_at: { $gt: now } })).deletedCount === 1,
  };
}
