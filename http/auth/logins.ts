/**
 * Opens, refreshes, steps up and ends logins with refresh tokens. A login is one row in the store,
 * which identifies the family of its refresh tokens and holds them only as hashes. Invariant: each
 * refresh token works once. Reuse of a spent token ends the login, except within a short grace
 * period.
 */

import { refusal } from '../../actors/domain/refusals.ts';
import { expectPerson, type Person } from '../../actors/services/accounts/sign-in.ts';
import { newId } from '../../runtime/ids.ts';
import type { LoginRow, Logins } from '../../store/accounts/logins.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import type { Agents } from '../../store/agents/agents.ts';
import { type Claims, fingerprint, type Tokens } from './tokens.ts';

export const REFRESH_LIFE_MS = 30 * 86_400_000;
/** Within this time, a second tab or a client that lost the response may reuse a token. */
const REUSE_GRACE_MS = 30_000;

export interface AuthSuccess {
  readonly token: string;
  readonly refresh_token: string;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  readonly agent_name: string;
}

export interface LoginDeps {
  readonly tenants: Tenants;
  readonly agents: Pick<Agents, 'find' | 'away'>;
  readonly logins: Logins;
  readonly tokens: Tokens;
  invalidate(tenantId: string): void;
}

/** `secondFactorAt` is in epoch ms, or null if only the first factor was used. */
export interface Proof {
  readonly auth: 'otp' | 'totp' | 'passkey';
  readonly address: string;
  readonly userAgent?: string | null;
  readonly secondFactorAt: number | null;
}

export async function openLogin({ logins, tokens }: LoginDeps, person: Person, proof: Proof, now: number): Promise<AuthSuccess> {
  const family = newId(now);
  const refresh = tokens.refreshToken(family);
  const row = newLogin(family, person, proof, { current: fingerprint(refresh) }, now);
  await logins.open(row);
  return success(tokens, row, refresh, now);
}

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

/** Reuse of a spent token ends the whole family, because one of its two users must have stolen it. */
export async function refreshLogin(deps: LoginDeps, refreshToken: string, now: number): Promise<AuthSuccess> {
  const family = deps.tokens.familyOf(refreshToken);
  if (family === null) throw refusal('UNAUTHORIZED');
  const from = fingerprint(refreshToken);
  const refresh = deps.tokens.refreshToken(family);
  const former = await deps.logins.byToken(family, from, now);
  // Checks the person first, so that a refusal does not spend the token.
  const known = former && (await asTheyAreNow(deps, former));
  const rotation = { from, to: fingerprint(refresh), now, expiresAt: now + REFRESH_LIFE_MS };
  if (!known || !(await deps.logins.rotate(family, rotation))) return endReused(deps, family, refreshToken, now);
  return success(deps.tokens, known, refresh, now);
}

export async function asTheyAreNow(deps: Pick<LoginDeps, 'tenants' | 'agents'>, row: LoginRow): Promise<LoginRow> {
  const person = await expectPerson(deps, { tenantId: row.tenant_id, role: row.role, agentId: row.agent_id });
  return { ...row, agent_name: person.agentName };
}

/** Only the new token gets the fresh second factor, so a thief with an older token gains nothing. */
export const stepUpLogin = ({ tokens }: Pick<LoginDeps, 'tokens'>, claims: Claims, now: number): Promise<string> =>
  tokens.issue({ ...claims, factorAt: now }, now);

/** On other nodes, the access token still works for up to 5 seconds. */
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
