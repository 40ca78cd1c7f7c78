import { newId } from '../../../runtime/ids.ts';
import type { Logins } from '../../../store/accounts/logins.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AgentPatch, AgentRow, Agents } from '../../../store/agents/agents.ts';
import type { Chats } from '../../../store/conversations/chats.ts';
import { beyondLimit } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';

/**
 * Manages the agents of a business: invitation, changes and removal. Invariant: an agent who is
 * deactivated, removed or given another phone loses their logins immediately. If the process
 * crashes, the row stays `leaving` until a sweep has completed the departure. Data:
 * store/agents/agents.ts.
 */

export interface TeamDeps {
  readonly tenants: Pick<Tenants, 'byPhone'>;
  readonly agents: Agents;
  readonly logins: Pick<Logins, 'endOf'>;
  readonly chats: Pick<Chats, 'leave'>;
  announceSoon(): void;
  invalidate(tenantId: string): void;
}

export interface AgentChange {
  readonly name?: string;
  readonly phone?: string;
  readonly is_active?: boolean;
}

const MAX_AGENTS = 500;
const SETTLE_AFTER_MS = 60_000;
const SETTLED_TOGETHER = 100;

/** Fails with PHONE_IN_USE only within this tenant, so errors reveal nothing about other tenants. */
export async function hire(deps: TeamDeps, tenantId: string, who: { name: string; phone: string }, now: number): Promise<AgentRow> {
  const row: AgentRow = {
    _id: newId(now),
    tenant_id: tenantId,
    ...who,
    is_verified: false,
    is_active: true,
    is_gone: false,
    leaving: false,
    left_at: 0,
    last_seen_at: 0,
    away_at: 0,
    created_at: now,
    updated_at: now,
  };
  await expectNotTheOwner(deps, tenantId, who.phone);
  const added = await deps.agents.add(row, MAX_AGENTS);
  if (added === 'taken') throw refusal('PHONE_IN_USE');
  if (added === 'full') throw beyondLimit(MAX_AGENTS, { en: 'agents', id: 'agen' });
  return row;
}

async function expectNotTheOwner({ tenants }: Pick<TeamDeps, 'tenants'>, tenantId: string, phone: string): Promise<void> {
  if ((await tenants.byPhone(phone))?._id === tenantId) throw refusal('PHONE_IN_USE');
}

export async function agentOf({ agents }: Pick<TeamDeps, 'agents'>, tenantId: string, id: string): Promise<AgentRow> {
  const found = await agents.find(tenantId, id);
  if (!found) throw refusal('NOT_FOUND');
  return found;
}

interface Changing {
  readonly now: number;
  readonly expectStepUp: () => void;
}

export async function changeAgent(
  deps: TeamDeps,
  tenantId: string,
  id: string,
  { name, phone, is_active }: AgentChange,
  { now, expectStepUp }: Changing,
): Promise<AgentRow> {
  const agent = await agentOf(deps, tenantId, id);
  const isNewPhone = phone !== undefined && phone !== agent.phone;
  const isActivated = is_active === true && !agent.is_active;
  if (isNewPhone || isActivated) expectStepUp();
  const isOut = is_active === false || isNewPhone;
  // Write only fields that change, because another caller may be changing other fields.
  const patch = {
    ...(name !== undefined && { name }),
    ...(isNewPhone && { phone, is_verified: false }),
    ...((isActivated || is_active === false) && { is_active }),
    ...(isOut && { leaving: true, left_at: now }),
  };
  if (isNewPhone) await expectNotTheOwner(deps, tenantId, phone);
  const changed = await written(deps, agent, patch, now);
  if (isOut) await seeOut(deps, changed, now);
  else deps.invalidate(tenantId);
  return changed;
}

export async function dismiss(deps: TeamDeps, tenantId: string, id: string, now: number): Promise<void> {
  const agent = await agentOf(deps, tenantId, id);
  await seeOut(deps, await written(deps, agent, { is_gone: true, is_active: false, leaving: true, left_at: now }, now), now);
}

export async function processDepartures(deps: TeamDeps, now: number): Promise<void> {
  for (const agent of await deps.agents.leaving(now - SETTLE_AFTER_MS, SETTLED_TOGETHER)) {
    await seeOut(deps, agent, now);
    await deps.agents.outboxProcessed(agent);
  }
}

async function seeOut(
  { logins, chats, invalidate, announceSoon }: TeamDeps,
  { tenant_id, _id, is_active, left_at }: AgentRow,
  now: number,
): Promise<void> {
  await logins.endOf(tenant_id, _id, left_at, now);
  invalidate(tenant_id);
  if (is_active) return;
  await chats.leave(tenant_id, _id, now);
  announceSoon();
}

async function written({ agents }: TeamDeps, { tenant_id, _id }: AgentRow, patch: AgentPatch, now: number): Promise<AgentRow> {
  const changed = await agents.change(tenant_id, _id, patch, now);
  if (changed === 'taken') throw refusal('PHONE_IN_USE');
  if (changed === null) throw refusal('NOT_FOUND');
  return changed;
}
