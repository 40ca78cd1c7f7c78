import { newId } from '../../runtime/ids.ts';
import type { AgentPatch, AgentRow, Agents } from '../../store/agents.ts';
import type { Chats } from '../../store/chats.ts';
import type { Logins } from '../../store/logins.ts';
import { refusal } from '../refusals.ts';
import { type PhonePorts, withFreePhone } from './free-phone.ts';

export interface TeamPorts extends PhonePorts {
  readonly agents: Agents;
  readonly logins: Pick<Logins, 'endOf'>;
  readonly chats: Pick<Chats, 'leave'>;
  /** Chats owe the event of their assignment. */
  announceSoon(): void;
  /** What every node believes of the tenant's logins is to be looked at anew. */
  invalidate(tenantId: string): void;
}

/** What an owner says of an agent; `phone` in digits. */
export interface AgentChange {
  readonly name?: string;
  readonly phone?: string;
  readonly is_active?: boolean;
}

/** Agents of one tenant. */
const MOST_AGENTS = 500;
/** So long after it went out an agent is looked at once more: for what an assignment under way, or a crash, left behind. */
const SETTLE_AFTER_MS = 60_000;
const SETTLED_TOGETHER = 100;

/** Refuses PHONE_IN_USE, LIMIT_REACHED. */
export async function hire(ports: TeamPorts, tenantId: string, who: { name: string; phone: string }, now: number): Promise<AgentRow> {
  if ((await ports.agents.count(tenantId)) >= MOST_AGENTS) throw refusal('LIMIT_REACHED', { reason: `${MOST_AGENTS}` });
  const row: AgentRow = {
    _id: newId(now),
    tenant_id: tenantId,
    ...who,
    is_active: true,
    is_gone: false,
    leaving: false,
    left_at: 0,
    last_seen_at: 0,
    created_at: now,
    updated_at: now,
  };
  return withFreePhone(ports, who.phone, now, async () => {
    if (!(await ports.agents.add(row))) throw refusal('PHONE_IN_USE');
    return row;
  });
}

/** Refuses NOT_FOUND. */
export async function agentOf({ agents }: Pick<TeamPorts, 'agents'>, tenantId: string, id: string): Promise<AgentRow> {
  const found = await agents.find(tenantId, id);
  if (!found) throw refusal('NOT_FOUND');
  return found;
}

/** One who is deactivated, or gets another phone, is out at once. Refuses NOT_FOUND, PHONE_IN_USE. */
export async function changeAgent(ports: TeamPorts, tenantId: string, id: string, change: AgentChange, now: number): Promise<AgentRow> {
  const { phone, is_active } = change;
  const agent = await agentOf(ports, tenantId, id);
  const isNewPhone = phone !== undefined && phone !== agent.phone;
  const isOut = is_active === false || isNewPhone;
  const patch = { ...change, ...(isOut && { leaving: true, left_at: now }) };
  const write = () => written(ports, agent, patch, now);
  const changed = isNewPhone ? await withFreePhone(ports, phone, now, write) : await write();
  if (isOut) await seeOut(ports, changed, now);
  else ports.invalidate(tenantId);
  return changed;
}

/** The agent is gone, and whoever is signed in as them is out at once. Refuses NOT_FOUND. */
export async function dismiss(ports: TeamPorts, tenantId: string, id: string, now: number): Promise<void> {
  const agent = await agentOf(ports, tenantId, id);
  await seeOut(ports, await written(ports, agent, { is_gone: true, is_active: false, leaving: true, left_at: now }, now), now);
}

/** Finishes what was begun with agents who went out; for a sweep. */
export async function settleLeaving(ports: TeamPorts, now: number): Promise<void> {
  for (const agent of await ports.agents.leaving(now - SETTLE_AFTER_MS, SETTLED_TOGETHER)) {
    await seeOut(ports, agent, now);
    await ports.agents.settled(agent);
  }
}

/** Ends the logins from before; the chats of somebody who is not at work any more are everybody's again. Idempotent. */
async function seeOut(
  { logins, chats, invalidate, announceSoon }: TeamPorts,
  { tenant_id, _id, is_active, left_at }: AgentRow,
  now: number,
): Promise<void> {
  await logins.endOf(tenant_id, _id, left_at, now);
  invalidate(tenant_id);
  if (is_active) return;
  await chats.leave(tenant_id, _id, now);
  announceSoon();
}

async function written({ agents }: TeamPorts, { tenant_id, _id }: AgentRow, patch: AgentPatch, now: number): Promise<AgentRow> {
  const changed = await agents.change(tenant_id, _id, patch, now);
  if (changed === 'taken') throw refusal('PHONE_IN_USE');
  if (changed === null) throw refusal('NOT_FOUND');
  return changed;
}
