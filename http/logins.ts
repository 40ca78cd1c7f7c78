import { refusal } from '../actors/refusals.ts';
import type { Person } from '../actors/sign-in.ts';
import { newId } from '../runtime/ids.ts';
import type { Agents } from '../store/agents.ts';
import type { LoginRow, Logins } from '../store/logins.ts';
import type { Tenants } from '../store/tenants.ts';
import { fingerprint, type Tokens } from './tokens.ts';

const REFRESH_LIFE_MS = 30 * 86_400_000;

/** spec.md "AuthSuccess". */
export interface AuthSuccess {
  readonly token: string;
  readonly refresh_token: string;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  readonly agent_name: string;
}

/** What logins need of the world. */
export interface LoginPorts {
  readonly tenants: Tenants;
  readonly agents: Pick<Agents, 'find' | 'away'>;
  readonly logins: Logins;
  readonly tokens: Tokens;
  /** Makes this node's gate forget what it believes of the tenant. */
  invalidate(tenantId: string): void;
}

/** Begins a login for somebody who proved who they are. `now` is epoch ms. */
export async function openLogin({ logins, tokens }: LoginPorts, person: Person, now: number): Promise<AuthSuccess> {
  const family = newId(now);
  const refresh = tokens.refreshToken(family);
  const row: LoginRow = {
    _id: family,
    tenant_id: person.tenantId,
    role: person.role,
    agent_id: person.agentId,
    agent_name: person.agentName,
    current: fingerprint(refresh),
    created_at: now,
    refreshed_at: now,
    expires_at: now + REFRESH_LIFE_MS,
    revoked_at: null,
  };
  await logins.open(row);
  return success(tokens, row, refresh, now);
}

/**
 * Trades a refresh token for a new pair (spec.md part 5). One that was used before ends its whole family, because one of its two users
 * stole it. Refuses UNAUTHORIZED, FORBIDDEN (suspended).
 */
export async function refreshLogin(ports: LoginPorts, refreshToken: string, now: number): Promise<AuthSuccess> {
  const family = ports.tokens.familyOf(refreshToken);
  if (family === null) throw refusal('UNAUTHORIZED');
  const refresh = ports.tokens.refreshToken(family);
  const row = await ports.logins.rotate(family, {
    from: fingerprint(refreshToken),
    to: fingerprint(refresh),
    now,
    expiresAt: now + REFRESH_LIFE_MS,
  });
  if (!row) return endReused(ports, family, now);
  const tenant = await ports.tenants.find(row.tenant_id);
  if (!tenant) throw refusal('UNAUTHORIZED');
  if (tenant.suspended) throw refusal('FORBIDDEN');
  return success(ports.tokens, await asNamedNow(ports, row), refresh, now);
}

/** Ends a login: its refresh token at once, its JWT on this node at once and on the others within the gate's 5 seconds. */
export async function endLogin({ logins, invalidate }: LoginPorts, tenantId: string, family: string, now: number): Promise<void> {
  await logins.end(tenantId, family, now);
  invalidate(tenantId);
}

/** An agent may have another name by now, or not be at work any more. */
async function asNamedNow({ agents }: LoginPorts, row: LoginRow): Promise<LoginRow> {
  if (row.role === 'admin') return row;
  const agent = await agents.find(row.tenant_id, row.agent_id);
  if (!agent?.is_active) throw refusal('UNAUTHORIZED');
  return { ...row, agent_name: agent.name };
}

async function endReused({ logins, invalidate }: LoginPorts, family: string, now: number): Promise<never> {
  const ended = await logins.endReused(family, now);
  if (ended) invalidate(ended.tenant_id);
  throw refusal('UNAUTHORIZED');
}

async function success(tokens: Tokens, row: LoginRow, refresh: string, now: number): Promise<AuthSuccess> {
  const { _id: family, tenant_id: tenantId, role, agent_id: agentId, agent_name } = row;
  const token = await tokens.issue({ tenantId, role, agentId, family }, now);
  return { token, refresh_token: refresh, role, agent_id: agentId, agent_name };
}
