import type { BlockList } from 'node:net';
import { type Plans, planFor } from '../../actors/domain/plans.ts';
import { refusal } from '../../actors/domain/refusals.ts';
import { callingCodeOf } from '../../actors/services/accounts/profile.ts';
import { findActiveAgent } from '../../actors/services/accounts/sign-in.ts';
import { isIn, rangesOf } from '../../runtime/address-ranges.ts';
import { RecentCache } from '../../runtime/recent-cache.ts';
import type { ApiKeys, KeyRow } from '../../store/accounts/api-keys.ts';
import type { LoginRow, Logins } from '../../store/accounts/logins.ts';
import type { TenantRow, Tenants } from '../../store/accounts/tenants.ts';
import type { AgentRow, Agents } from '../../store/agents/agents.ts';
import type { Deletions } from '../../store/privacy/deletions.ts';
import { API_KEY, type AuthContext, type Authenticator } from '../core/authenticator-port.ts';
import { createAdminAuth, type NamedOperator } from './admin-auth.ts';
import { expectOperatorSession, type OperatorSessionDeps } from './operator-sessions.ts';
import { fingerprint, type ReadClaims, type Tokens } from './tokens.ts';

/** Revocations, suspensions and plan changes take effect on every node within this time. */
const RECHECK_MS = 5_000;
/** Minimum time between two recorded uses; shorter than the time after which an agent appears offline. */
const USED_AT_MOST_EVERY_MS = 60_000;
const REMEMBERED_TOKENS = 10_000;

const NOT_VALID = {
  en: 'the token or API key in `Authorization: Bearer …` is unknown, has expired or was revoked',
  id: 'token atau kunci API pada `Authorization: Bearer …` tidak dikenal, kedaluwarsa, atau dicabut',
};

export interface AuthenticatorDeps extends OperatorSessionDeps {
  readonly tenants: Tenants;
  readonly logins: Logins;
  readonly keys: ApiKeys;
  readonly agents: Pick<Agents, 'find' | 'seen'>;
  readonly deletions: Pick<Deletions, 'find'>;
  readonly tokens: Tokens;
  readonly plans: Plans;
  readonly adminSecret: string;
  readonly operators?: readonly NamedOperator[];
  report(cause: unknown): void;
}

export interface CachedAuthenticator extends Authenticator {
  invalidate(tenantId: string): void;
}

interface Belief {
  readonly auth: AuthContext;
  readonly expiresAt: number;
  readonly allowed: BlockList | null;
  readonly claims: ReadClaims | null;
  checkedAt: number;
  usedAt: number;
}

export function createAuthenticator(deps: AuthenticatorDeps): CachedAuthenticator {
  const beliefs = new RecentCache<string, Belief>(REMEMBERED_TOKENS);
  const asking = new Map<string, Promise<Belief | null>>();
  const operator = createAdminAuth(deps.adminSecret, deps.operators);
  let changes = 0;

  function admit(belief: Belief, address: string, now: number): AuthContext {
    if (now >= belief.expiresAt) throw refusal('UNAUTHORIZED', { because: 'expired', reason: NOT_VALID });
    if (belief.allowed !== null && !isIn(belief.allowed, address)) throw refusal('FORBIDDEN');
    if (now - belief.usedAt >= USED_AT_MOST_EVERY_MS) {
      belief.usedAt = now;
      note(deps, belief.auth, now)?.catch(deps.report);
    }
    return belief.auth;
  }

  async function ask(token: string, known: Belief | undefined, now: number): Promise<Belief | null> {
    const before = changes;
    const belief = API_KEY.test(token) ? await believeKey(deps, token, now) : await believeJwt(deps, token, known, now);
    if (belief === null) beliefs.delete(token);
    else beliefs.set(token, belief);
    // Data read during a change may be outdated, so it is used only for this call.
    if (belief !== null && before !== changes) belief.checkedAt = Number.NEGATIVE_INFINITY;
    return belief;
  }

  function askOnce(token: string, known: Belief | undefined, now: number): Promise<Belief | null> {
    const question = ask(token, known, now).finally(() => {
      if (asking.get(token) === question) asking.delete(token);
    });
    asking.set(token, question);
    return question;
  }

  async function admitAnew(token: string, known: Belief | undefined, address: string, now: number): Promise<AuthContext> {
    const belief = await (asking.get(token) ?? askOnce(token, known, now));
    if (belief === null) throw refusal('UNAUTHORIZED', { because: 'unknown, revoked or ended', reason: NOT_VALID });
    return admit(belief, address, now);
  }

  return {
    bearer(token, address, now) {
      const known = beliefs.get(token);
      const age = known === undefined ? -1 : now - known.checkedAt;
      return known !== undefined && age >= 0 && age < RECHECK_MS ? admit(known, address, now) : admitAnew(token, known, address, now);
    },

    async operator(secret, session, address, now, withoutSession) {
      const name = operator.enter(secret, address, now);
      if (!withoutSession) await expectOperatorSession(deps, { name, session, address }, now);
      return name;
    },

    invalidate(tenantId) {
      changes += 1;
      asking.clear();
      for (const belief of beliefs.values()) if (belief.auth.caller.tenantId === tenantId) belief.checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

function note(
  { keys, agents, logins }: AuthenticatorDeps,
  { caller: { tenantId, agentId, role, family, key } }: AuthContext,
  now: number,
): Promise<unknown> | null {
  if (key !== null) return keys.touch(tenantId, key.id, now);
  const login = family === null ? null : logins.touch(tenantId, family, now);
  return Promise.all([login, role === 'agent' ? agents.seen([agentId], now) : null]);
}

async function believeKey({ keys, tenants, deletions, plans }: AuthenticatorDeps, token: string, now: number): Promise<Belief | null> {
  const key = await keys.byHash(fingerprint(token));
  if (key === null || key.revoked_at !== null) return null;
  const [tenant, deletion] = await Promise.all([tenants.find(key.tenant_id), deletions.find(key.tenant_id)]);
  if (tenant === null) return null;
  return {
    auth: { ...keyContext(plans, activeOrRefused(tenant), key), ...(deletion?.open && { isEnding: true }) },
    expiresAt: key.expires_at ?? Number.POSITIVE_INFINITY,
    allowed: key.allowed_ips && rangesOf(key.allowed_ips),
    claims: null,
    checkedAt: now,
    usedAt: key.last_used_at ?? 0,
  };
}

async function believeJwt(
  { tokens, logins, secondFactors, tenants, agents, deletions, plans }: AuthenticatorDeps,
  token: string,
  known: Belief | undefined,
  now: number,
): Promise<Belief | null> {
  const claims = known?.claims ?? (await tokens.read(token, now));
  if (claims === null) return null;
  const [login, tenant] = await Promise.all([logins.findLive(claims.tenantId, claims.family, now), tenants.find(claims.tenantId)]);
  if (login === null || tenant === null) return null;
  const [agent, factor, deletion] = await Promise.all([
    login.role === 'agent' ? findActiveAgent(agents, tenant._id, login.agent_id) : null,
    secondFactors.find(login.agent_id),
    deletions.find(tenant._id),
  ]);
  if (login.role === 'agent' && !agent) return null;
  const { expiresAt, factorAt = 0 } = claims;
  const provenAt = Math.max(login.second_factor_at ?? 0, factorAt) || null;
  const found = {
    tenant: activeOrRefused(tenant),
    login,
    agent,
    secondFactor: factor?.secret == null ? null : { at: provenAt },
    expiresAt,
  };
  const auth: AuthContext = { ...loginContext(plans, found), ...(deletion?.open && { isEnding: true }) };
  return { auth, expiresAt, allowed: null, claims, checkedAt: now, usedAt: known?.usedAt ?? 0 };
}

function activeOrRefused(tenant: TenantRow): TenantRow {
  if (tenant.suspended) throw refusal('FORBIDDEN', { reason: { en: 'the account is suspended', id: 'akun ditangguhkan' } });
  return tenant;
}

function keyContext(plans: Plans, tenant: TenantRow, key: KeyRow): AuthContext {
  const plan = planFor(plans, tenant);
  return {
    caller: {
      tenantId: tenant._id,
      role: 'admin',
      agentId: tenant._id,
      agentName: tenant.name,
      family: null,
      auth: 'api_key',
      secondFactor: null,
      key: { id: key._id, name: key.name, hash: key.hash, scopes: key.scopes, sessionIds: key.session_ids },
      expiresAt: null,
      callingCode: callingCodeOf(tenant.profile),
      plan,
    },
    auth: 'api_key',
    scopes: key.scopes,
    perMinute: key.rate_limit_per_minute,
    keyCap: plan.key_cap,
    sendPerMinute: plan.send_per_minute,
    limitKey: key._id,
  };
}

interface LiveLogin {
  readonly tenant: TenantRow;
  readonly login: LoginRow;
  readonly agent: AgentRow | null;
  readonly secondFactor: AuthContext['caller']['secondFactor'];
  readonly expiresAt: number;
}

function loginContext(plans: Plans, { tenant, login, agent, secondFactor, expiresAt }: LiveLogin): AuthContext {
  const plan = planFor(plans, tenant);
  return {
    caller: {
      tenantId: tenant._id,
      role: login.role,
      agentId: login.agent_id,
      agentName: agent?.name ?? login.agent_name,
      family: login._id,
      auth: login.auth ?? 'otp',
      secondFactor,
      key: null,
      expiresAt,
      callingCode: callingCodeOf(tenant.profile),
      plan,
    },
    auth: 'login',
    scopes: ['read', 'send', 'manage'],
    perMinute: null,
    keyCap: plan.key_cap,
    sendPerMinute: plan.send_per_minute,
    limitKey: tenant._id,
  };
}
