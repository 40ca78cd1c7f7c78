import type { Collection, CollectionSpec, Store } from './collection.ts';

/** One login and the family of refresh tokens it lives on (spec.md part 5): only the newest token, as a hash. Times are epoch ms. */
export interface LoginRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  /** The tenant's id for its owner. */
  readonly agent_id: string;
  readonly agent_name: string;
  /** SHA-256 of the one refresh token that is good now. */
  readonly current: string;
  readonly created_at: number;
  readonly refreshed_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
}

/** What changes when a refresh token is used. */
export interface Rotation {
  readonly from: string;
  readonly to: string;
  readonly now: number;
  readonly expiresAt: number;
}

export interface Logins {
  open(row: LoginRow): Promise<void>;
  /** Trades the current token for the next; null: it is not the current one any more, or the login has ended. One caller at most wins. */
  rotate(family: string, rotation: Rotation): Promise<LoginRow | null>;
  /** Ends a login one of whose old tokens came back; null: it had ended before. `family` is proven by the token itself. */
  endReused(family: string, now: number): Promise<LoginRow | null>;
  end(tenantId: string, family: string, now: number): Promise<void>;
  /** Ends what an agent opened up to `until`. */
  endOf(tenantId: string, agentId: string, until: number, now: number): Promise<void>;
  findLive(tenantId: string, family: string, now: number): Promise<LoginRow | null>;
  /** Which of these logins are live, of whichever tenants. */
  liveOf(families: readonly string[], now: number): Promise<readonly string[]>;
}

const spec: CollectionSpec = {
  name: 'logins',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1 } },
    { name: 'by_agent', keys: { tenant_id: 1, agent_id: 1, created_at: -1 } },
  ],
  expires: 'expires_at',
};

export function loginsIn(store: Store): Logins {
  const logins: Collection<LoginRow> = store.collection<LoginRow>(spec);

  return {
    open: async (row) => void (await logins.insertOne(row)),
    rotate: (_id, { from, to, now, expiresAt }) =>
      logins.findOneAndUpdate(
        { _id, current: from, revoked_at: null, expires_at: { $gt: now } },
        { $set: { current: to, refreshed_at: now, expires_at: expiresAt } },
        { returnDocument: 'after' },
      ),
    endReused: (_id, now) => logins.findOneAndUpdate({ _id, revoked_at: null }, { $set: { revoked_at: now } }, { returnDocument: 'after' }),
    end: async (tenant_id, _id, now) => void (await logins.updateOne({ _id, tenant_id, revoked_at: null }, { $set: { revoked_at: now } })),
    endOf: async (tenant_id, agent_id, until, now) =>
      void (await logins.updateMany({ tenant_id, agent_id, created_at: { $lte: until }, revoked_at: null }, { $set: { revoked_at: now } })),
    findLive: (tenant_id, _id, now) => logins.findOne({ _id, tenant_id, revoked_at: null, expires_at: { $gt: now } }),
    liveOf: async (families, now) =>
      (await logins.find({ _id: { $in: families }, revoked_at: null, expires_at: { $gt: now } }).toArray()).map(({ _id }) => _id),
  };
}
