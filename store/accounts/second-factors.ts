import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface SecondFactorRow {
  /** The agent's id, the tenant's id for its owner, or `operator` for the installation's operators. */
  readonly _id: string;
  readonly tenant_id: string;
  /** Sealed base32 secret; null if two-factor authentication is off. */
  readonly secret: string | null;
  readonly pending: { readonly secret: string; readonly expires_at: number } | null;
  /** The newest time step with an accepted code; codes of this step and older ones are rejected. */
  readonly last_step: number;
  readonly recovery: readonly string[];
}

export interface ChallengeRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  readonly agent_name: string;
  readonly tries: number;
  readonly expires_at: number;
}

export interface SecondFactors {
  find(person: string): Promise<SecondFactorRow | null>;
  propose(person: string, tenantId: string, pending: NonNullable<SecondFactorRow['pending']>): Promise<boolean>;
  enable(person: string, pending: string, step: number, recovery: readonly string[], now: number): Promise<boolean>;
  disable(person: string): Promise<void>;
  /** Returns false if this step or a later one was already used. */
  spendStep(person: string, step: number): Promise<boolean>;
  /** Uses up a recovery code. Returns true only once for each code. */
  spendRecovery(person: string, hash: string): Promise<boolean>;
  replaceRecovery(person: string, recovery: readonly string[]): Promise<void>;
  openChallenge(row: ChallengeRow): Promise<void>;
  /** Returns null if the challenge is unknown or expired, or has no attempts left. */
  tryChallenge(id: string, tries: number, now: number): Promise<ChallengeRow | null>;
  endChallenge(id: string): Promise<boolean>;
}

export const secondFactorsSpec: CollectionSpec = {
  name: 'second_factors',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1 } }],
  arrays: ['recovery'],
};
const challengesSpec: CollectionSpec = { name: 'login_challenges', indexes: [], expires: 'expires_at' };

export function secondFactorsIn(store: Store): SecondFactors {
  const factors: Collection<SecondFactorRow> = store.collection<SecondFactorRow>(secondFactorsSpec);
  const challenges: Collection<ChallengeRow> = store.collection<ChallengeRow>(challengesSpec);

  return {
    find: (_id) => factors.findOne({ _id }),

    async propose(_id, tenant_id, pending) {
      const first = { tenant_id, secret: null, last_step: 0, recovery: [] };
      return (
        (await insertedOf(factors, [{ _id, ...first, pending }])) === 1 ||
        (await factors.updateOne({ _id, secret: null }, { $set: { pending } })).matchedCount === 1
      );
    },

    async enable(_id, pending, last_step, recovery, now) {
      const filter = { _id, secret: null, 'pending.secret': pending, 'pending.expires_at': { $gt: now } };
      return (await factors.updateOne(filter, { $set: { secret: pending, pending: null, last_step, recovery } })).matchedCount === 1;
    },

    disable: async (_id) => void (await factors.deleteOne({ _id })),
    spendStep: async (_id, last_step) =>
      (await factors.updateOne({ _id, last_step: { $lt: last_step } }, { $set: { last_step } })).matchedCount === 1,
    spendRecovery: async (_id, hash) =>
      (await factors.updateOne({ _id, recovery: hash }, { $pull: { recovery: hash } })).matchedCount === 1,
    replaceRecovery: async (_id, recovery) => void (await factors.updateOne({ _id }, { $set: { recovery } })),

    openChallenge: async (row) => void (await challenges.insertOne(row)),
    tryChallenge: (_id, tries, now) =>
      challenges.findOneAndUpdate(
        { _id, tries: { $lt: tries }, expires_at: { $gt: now } },
        { $inc: { tries: 1 } },
        { returnDocument: 'after' },
      ),
    endChallenge: async (_id) => (await challenges.deleteOne({ _id })).deletedCount === 1,
  };
}
