import type { Collection, CollectionSpec, Store } from '../port.ts';

/** A login. It holds hashes of only the newest refresh token and the one before it. */
export interface LoginRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  /** The agent's id, or the tenant's id for its owner. */
  readonly agent_id: string;
  readonly agent_name: string;
  readonly address?: string;
  readonly user_agent?: string;
  readonly previous?: string;
  /** Last use, rounded to a minute; absent if the login was not used after it was opened or refreshed. */
  readonly seen_at?: number;
  readonly second_factor_at?: number;
  readonly auth?: 'otp' | 'totp' | 'passkey';
  /** SHA-256 of the valid refresh token; null for a browser login, which uses a cookie. */
  readonly current: string | null;
  readonly cookie?: string;
  readonly created_at: number;
  readonly refreshed_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
}

export interface Rotation {
  readonly from: string;
  readonly to: string;
  readonly now: number;
  readonly expiresAt: number;
}

export interface Logins {
  open(row: LoginRow): Promise<void>;
  /** Succeeds for only one caller. Returns null if the token or login is outdated. */
  rotate(family: string, rotation: Rotation): Promise<LoginRow | null>;
  byToken(family: string, token: string, now: number): Promise<LoginRow | null>;
  prolong(family: string, cookie: string, now: number, expiresAt: number): Promise<LoginRow | null>;
  byCookie(family: string, cookie: string, now: number): Promise<LoginRow | null>;
  /** Returns null if the login has already ended, or the token was replaced less than `graceMs` ago. */
  endReused(family: string, token: string, graceMs: number, now: number): Promise<LoginRow | null>;
  list(tenantId: string, agentId: string | null, now: number): Promise<LoginRow[]>;
  endOthers(tenantId: string, agentId: string, family: string, now: number): Promise<void>;
  stepUp(tenantId: string, family: string, now: number): Promise<void>;
  touch(tenantId: string, family: string, now: number): Promise<void>;
  end(tenantId: string, family: string, now: number): Promise<void>;
  endOf(tenantId: string, agentId: string, until: number, now: number): Promise<void>;
  findLive(tenantId: string, family: string, now: number): Promise<LoginRow | null>;
  liveOf(families: readonly string[], now: number): Promise<readonly string[]>;
}

const MAX_LISTED = 1_000;

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
        { $set: { current: to, previous: from, refreshed_at: now, expires_at: expiresAt } },
        { returnDocument: 'after' },
      ),
    byToken: (_id, current, now) => logins.findOne({ _id, current, revoked_at: null, expires_at: { $gt: now } }),
    prolong: (_id, cookie, now, expires_at) =>
      logins.findOneAndUpdate(
        { _id, cookie, revoked_at: null, expires_at: { $gt: now } },
        { $set: { refreshed_at: now, expires_at } },
        { returnDocument: 'after' },
      ),
    byCookie: (_id, cookie, now) => logins.findOne({ _id, cookie, revoked_at: null, expires_at: { $gt: now } }),
    endReused: (_id, token, graceMs, now) =>
      logins.findOneAndUpdate(
        { _id, revoked_at: null, $or: [{ previous: { $ne: token } }, { refreshed_at: { $lt: now - graceMs } }] },
        { $set: { revoked_at: now } },
        { returnDocument: 'after' },
      ),
    list: (tenant_id, agentId, now) =>
      logins
        .find(
          { tenant_id, ...(agentId !== null && { agent_id: agentId }), revoked_at: null, expires_at: { $gt: now } },
          { sort: { created_at: -1 }, limit: MAX_LISTED },
        )
        .toArray(),
    endOthers: async (tenant_id, agent_id, family, now) =>
      void (await logins.updateMany({ tenant_id, agent_id, _id: { $ne: family }, revoked_at: null }, { $set: { revoked_at: now } })),
    stepUp: async (tenant_id, _id, now) => void (await logins.updateOne({ _id, tenant_id }, { $set: { second_factor_at: now } })),
    touch: async (tenant_id, _id, now) => void (await logins.updateOne({ _id, tenant_id, revoked_at: null }, { $set: { seen_at: now } })),
    end: async (tenant_id, _id, now) => void (await logins.updateOne({ _id, tenant_id, revoked_at: null }, { $set: { revoked_at: now } })),
    endOf: async (tenant_id, agent_id, until, now) =>
      void (await logins.updateMany({ tenant_id, agent_id, created_at: { $lte: until }, revoked_at: null }, { $set: { revoked_at: now } })),
    findLive: (tenant_id, _id, now) => logins.findOne({ _id, tenant_id, revoked_at: null, expires_at: { $gt: now } }),
    liveOf: async (families, now) =>
      (await logins.find({ _id: { $in: families }, revoked_at: null, expires_at: { $gt: now } }).toArray()).map(({ _id }) => _id),
  };
}
