import type { BlockList } from 'node:net';
import { type Plans, planOf } from '../actors/plans.ts';
import { callingCodeOf } from '../actors/profile.ts';
import { refusal } from '../actors/refusals.ts';
import { Recent } from '../runtime/recent.ts';
import type { AgentRow, Agents } from '../store/agents.ts';
import type { ApiKeys, KeyRow } from '../store/api-keys.ts';
import type { LoginRow, Logins } from '../store/logins.ts';
import type { TenantRow, Tenants } from '../store/tenants.ts';
import { isIn, rangesOf } from './addresses.ts';
import type { Gate, Pass } from './gate.ts';
import { createOperatorDoor } from './operator-door.ts';
import { fingerprint, type ReadClaims, type Tokens } from './tokens.ts';

/** What a gate believes of a token is at most this old: revocation, suspension and changes of plan act within it on every node. */
const RECHECK_MS = 5_000;
/** Well within what an agent counts as online for (actors/agents/online.ts). */
const USED_AT_MOST_EVERY_MS = 60_000;
const REMEMBERED_TOKENS = 10_000;
const API_KEY = /^[\w-]{43}$/;

export interface GatekeeperPorts {
  readonly tenants: Tenants;
  readonly logins: Logins;
  readonly keys: ApiKeys;
  readonly agents: Pick<Agents, 'find' | 'seen'>;
  readonly tokens: Tokens;
  readonly plans: Plans;
  /** What `X-Admin-Secret` has to be. */
  readonly adminSecret: string;
  /** Something failed that no caller waits for: when a key or an agent was last here was not written. */
  report(cause: unknown): void;
}

export interface Gatekeeper extends Gate {
  /** Looks at the tenant's tokens and keys anew from their next call on: something about them changed on this node. */
  invalidate(tenantId: string): void;
}

/** What is believed of a token or key. Times are epoch ms. */
interface Belief {
  readonly pass: Pass;
  readonly expiresAt: number;
  readonly allowed: BlockList | null;
  /** What the signature of a JWT proved once and for all. */
  readonly claims: ReadClaims | null;
  checkedAt: number;
  /** Of an API key or an agent, and as far as this node knows. */
  usedAt: number;
}

/** The gate of spec.md part 5. A token seen before costs one look into a map; the store is asked again every 5 seconds. */
export function createGatekeeper(ports: GatekeeperPorts): Gatekeeper {
  const beliefs = new Recent<string, Belief>(REMEMBERED_TOKENS);
  const asking = new Map<string, Promise<Belief | null>>();
  const operator = createOperatorDoor(ports.adminSecret);
  let changes = 0;

  function admit(belief: Belief, address: string, now: number): Pass {
    if (now >= belief.expiresAt) throw refusal('UNAUTHORIZED');
    if (belief.allowed !== null && !isIn(belief.allowed, address)) throw refusal('FORBIDDEN');
    if (now - belief.usedAt >= USED_AT_MOST_EVERY_MS) {
      belief.usedAt = now;
      note(ports, belief.pass, now)?.catch(ports.report);
    }
    return belief.pass;
  }

  async function ask(token: string, known: Belief | undefined, now: number): Promise<Belief | null> {
    const before = changes;
    const belief = API_KEY.test(token) ? await believeKey(ports, token, now) : await believeJwt(ports, token, known, now);
    if (belief === null) beliefs.delete(token);
    else beliefs.set(token, belief);
    // What was read while a change happened may be from before it: good for this call, not for the next.
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

  async function admitAnew(token: string, known: Belief | undefined, address: string, now: number): Promise<Pass> {
    const belief = await (asking.get(token) ?? askOnce(token, known, now));
    if (belief === null) throw refusal('UNAUTHORIZED');
    return admit(belief, address, now);
  }

  return {
    bearer(token, address, now) {
      const known = beliefs.get(token);
      const age = known === undefined ? -1 : now - known.checkedAt;
      return known !== undefined && age >= 0 && age < RECHECK_MS ? admit(known, address, now) : admitAnew(token, known, address, now);
    },

    operator: (secret, _session, address, now) => operator.enter(secret, address, now),

    invalidate(tenantId) {
      changes += 1;
      asking.clear();
      for (const belief of beliefs.values()) if (belief.pass.caller.tenantId === tenantId) belief.checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** That a key was used, or that an agent is at work. */
function note({ keys, agents }: GatekeeperPorts, { caller: { tenantId, agentId, role, key } }: Pass, now: number): Promise<void> | null {
  if (key !== null) return keys.touch(tenantId, key.id, now);
  return role === 'agent' ? agents.seen([agentId], now) : null;
}

async function believeKey({ keys, tenants, plans }: GatekeeperPorts, token: string, now: number): Promise<Belief | null> {
  const key = await keys.byHash(fingerprint(token));
  if (key === null || key.revoked_at !== null) return null;
  const tenant = await tenants.find(key.tenant_id);
  if (tenant === null) return null;
  return {
    pass: keyPass(plans, activeOrRefused(tenant), key),
    expiresAt: key.expires_at ?? Number.POSITIVE_INFINITY,
    allowed: key.allowed_ips && rangesOf(key.allowed_ips),
    claims: null,
    checkedAt: now,
    usedAt: key.last_used_at ?? 0,
  };
}

async function believeJwt(
  { tokens, logins, tenants, agents, plans }: GatekeeperPorts,
  token: string,
  known: Belief | undefined,
  now: number,
): Promise<Belief | null> {
  const claims = known?.claims ?? (await tokens.read(token, now));
  if (claims === null) return null;
  const [login, tenant] = await Promise.all([logins.findLive(claims.tenantId, claims.family, now), tenants.find(claims.tenantId)]);
  if (login === null || tenant === null) return null;
  const agent = login.role === 'agent' ? await agents.find(tenant._id, login.agent_id) : null;
  if (login.role === 'agent' && !agent?.is_active) return null;
  const pass = loginPass(plans, activeOrRefused(tenant), login, agent);
  return { pass, expiresAt: claims.expiresAt, allowed: null, claims, checkedAt: now, usedAt: known?.usedAt ?? 0 };
}

function activeOrRefused(tenant: TenantRow): TenantRow {
  if (tenant.suspended) throw refusal('FORBIDDEN', { reason: { en: 'the account is suspended', id: 'akun ditangguhkan' } });
  return tenant;
}

function keyPass(plans: Plans, tenant: TenantRow, key: KeyRow): Pass {
  const plan = planOf(plans, tenant.plan);
  return {
    caller: {
      tenantId: tenant._id,
      role: 'admin',
      agentId: tenant._id,
      agentName: tenant.name,
      family: null,
      key: { id: key._id, sessionIds: key.session_ids },
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

function loginPass(plans: Plans, tenant: TenantRow, login: LoginRow, agent: AgentRow | null): Pass {
  const plan = planOf(plans, tenant.plan);
  return {
    caller: {
      tenantId: tenant._id,
      role: login.role,
      agentId: login.agent_id,
      agentName: agent?.name ?? login.agent_name,
      family: login._id,
      key: null,
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
