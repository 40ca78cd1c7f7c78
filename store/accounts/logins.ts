import type { Collection, CollectionSpec, Store } from '../port.ts';

/** One login and the family of refresh tokens it lives on: only the newest token, as a hash. Times are epoch ms. */
export interface LoginRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  /** The tenant's id for its owner. */
  readonly agent_id: string;
  readonly agent_name: string;
  /** Where it was opened from. */
  readonly address?: string;
  /** What opened it, as it said itself; absent: it said nothing, or an earlier version stored it. */
  readonly user_agent?: string;
  /** The refresh token before the current one, as a hash. */
  readonly previous?: string;
  /** When it was last used, to the minute; absent: not since it was opened or refreshed. */
  readonly seen_at?: number;
  /** When the second factor was proven for all tokens: at sign-in, or when it was set up; absent: never. */
  readonly second_factor_at?: number;
  /** How it was opened; absent: with a one-time code. */
  readonly auth?: 'otp' | 'totp' | 'passkey';
  /** SHA-256 of the one refresh token that is good now; null: a browser's login, which lives on its cookie and has no such token. */
  readonly current: string | null;
  /** SHA-256 of the secret in the cookie of the browser that opened it; absent: opened over the API. */
  readonly cookie?: string;
  readonly created_at: number;
  readonly refreshed_at: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
}

/** The changes when a refresh token is used. */
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
  /** The live login whose current token this is, as a hash. */
  byToken(family: string, token: string, now: number): Promise<LoginRow | null>;
  /** The browser's login with this cookie goes on until `expiresAt`; null: there is none, or it has ended. Any number of callers at once. */
  prolong(family: string, cookie: string, now: number, expiresAt: number): Promise<LoginRow | null>;
  /** The browser's live login with this cookie. */
  byCookie(family: string, cookie: string, now: number): Promise<LoginRow | null>;
  /**
   * Ends a login one of whose old tokens (as a hash) came back; null: it had ended before, or the token is the one before the current one and
   * was traded less than `graceMs` ago. `family` is proven by the token itself.
   */
  endReused(family: string, token: string, graceMs: number, now: number): Promise<LoginRow | null>;
  /** Live ones, newest first; `agentId`: of this person only. */
  list(tenantId: string, agentId: string | null, now: number): Promise<LoginRow[]>;
  /** Ends all of a person's logins but this one. */
  endOthers(tenantId: string, agentId: string, family: string, now: number): Promise<void>;
  /** The second factor was proven now. */
  stepUp(tenantId: string, family: string, now: number): Promise<void>;
  touch(tenantId: string, family: string, now: number): Promise<void>;
  end(tenantId: string, family: string, now: number): Promise<void>;
  /** Ends the logins that an agent opened up to `until`. */
  endOf(tenantId: string, agentId: string, until: number, now: number): Promise<void>;
  findLive(tenantId: string, family: string, now: number): Promise<LoginRow | null>;
  /** Which of these logins are live, of whichever tenants. */
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
