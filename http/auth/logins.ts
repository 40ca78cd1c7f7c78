import { refusal } from '../../actors/domain/refusals.ts';
import { expectPerson, type Person } from '../../actors/services/accounts/sign-in.ts';
import { newId } from '../../runtime/ids.ts';
import type { LoginRow, Logins } from '../../store/accounts/logins.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import type { Agents } from '../../store/agents/agents.ts';
import { type Claims, fingerprint, type Tokens } from './tokens.ts';

/** A login that was not refreshed for so long is over. */
export const REFRESH_LIFE_MS = 30 * 86_400_000;
/** Two tabs of one browser, or an answer that got lost: so long after it was traded a token ends nothing. */
const REUSE_GRACE_MS = 30_000;

/** The answer to a successful sign-in. */
export interface AuthSuccess {
  readonly token: string;
  readonly refresh_token: string;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  readonly agent_name: string;
}

/** The dependencies of logins. */
export interface LoginDeps {
  readonly tenants: Tenants;
  readonly agents: Pick<Agents, 'find' | 'away'>;
  readonly logins: Logins;
  readonly tokens: Tokens;
  /** Makes this node's gate forget what it believes of the tenant. */
  invalidate(tenantId: string): void;
}

/** How somebody proved who they are, and from where. `secondFactorAt`: epoch ms; null: with the first factor only. */
export interface Proof {
  readonly auth: 'otp' | 'totp' | 'passkey';
  readonly address: string;
  /** The request's `User-Agent`, cut; null: none. */
  readonly userAgent?: string | null;
  readonly secondFactorAt: number | null;
}

/** Starts a login for an authenticated person. `now` is epoch ms. */
export async function openLogin({ logins, tokens }: LoginDeps, person: Person, proof: Proof, now: number): Promise<AuthSuccess> {
  const family = newId(now);
  const refresh = tokens.refreshToken(family);
  const row = newLogin(family, person, proof, { current: fingerprint(refresh) }, now);
  await logins.open(row);
  return success(tokens, row, refresh, now);
}

/** The row of a new login, which lives on what `kept` tells of. */
export function newLogin(family: string, person: Person, proof: Proof, kept: Pick<LoginRow, 'current' | 'cookie'>, now: number): LoginRow {
  return {
    _id: family,
    tenant_id: person.tenantId,
    role: person.role,
    agent_id: person.agentId,
    agent_name: person.agentName,
    auth: proof.auth,
    address: proof.address,
    ...(proof.userAgent && { user_agent: proof.userAgent }),
    ...(proof.secondFactorAt !== null && { second_factor_at: proof.secondFactorAt }),
    ...kept,
    created_at: now,
    refreshed_at: now,
    expires_at: now + REFRESH_LIFE_MS,
    revoked_at: null,
  };
}

/**
 * Trades a refresh token for a new pair. One that was used before ends its whole family, because one of its two users
 * stole it. Refuses UNAUTHORIZED, FORBIDDEN (suspended).
 */
export async function refreshLogin(deps: LoginDeps, refreshToken: string, now: number): Promise<AuthSuccess> {
  const family = deps.tokens.familyOf(refreshToken);
  if (family === null) throw refusal('UNAUTHORIZED');
  const from = fingerprint(refreshToken);
  const refresh = deps.tokens.refreshToken(family);
  const former = await deps.logins.byToken(family, from, now);
  // First, so that a refusal spends no token.
  const known = former && (await asTheyAreNow(deps, former));
  const rotation = { from, to: fingerprint(refresh), now, expiresAt: now + REFRESH_LIFE_MS };
  if (!known || !(await deps.logins.rotate(family, rotation))) return endReused(deps, family, refreshToken, now);
  return success(deps.tokens, known, refresh, now);
}

/** A login as its person is now, who may have another name. Refuses as `expectPerson` does. */
export async function asTheyAreNow(deps: Pick<LoginDeps, 'tenants' | 'agents'>, row: LoginRow): Promise<LoginRow> {
  const person = await expectPerson(deps, { tenantId: row.tenant_id, role: row.role, agentId: row.agent_id });
  return { ...row, agent_name: person.agentName };
}

/**
 * The second factor was proven again: gives a new token of the same login. It alone counts as fresh: whoever took an older token gains nothing by
 * the code of its owner.
 */
export const stepUpLogin = ({ tokens }: Pick<LoginDeps, 'tokens'>, claims: Claims, now: number): Promise<string> =>
  tokens.issue({ ...claims, factorAt: now }, now);

/** Ends a login: its refresh token at once, its JWT on this node at once and on the others within the gate's 5 seconds. */
export async function endLogin({ logins, invalidate }: LoginDeps, tenantId: string, family: string, now: number): Promise<void> {
  await logins.end(tenantId, family, now);
  invalidate(tenantId);
}

async function endReused({ logins, invalidate }: LoginDeps, family: string, token: string, now: number): Promise<never> {
  const ended = await logins.endReused(family, fingerprint(token), REUSE_GRACE_MS, now);
  if (ended) invalidate(ended.tenant_id);
  throw refusal('UNAUTHORIZED');
}

async function success(tokens: Tokens, row: LoginRow, refresh: string, now: number): Promise<AuthSuccess> {
  const { _id: family, tenant_id: tenantId, role, agent_id: agentId, agent_name } = row;
  const token = await tokens.issue({ tenantId, role, agentId, family }, now);
  return { token, refresh_token: refresh, role, agent_id: agentId, agent_name };
}
