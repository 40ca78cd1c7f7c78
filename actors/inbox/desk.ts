import type { Agents } from '../../store/agents.ts';
import type { ChatPatch, ChatRow, ChatStatus, Chats, Tag } from '../../store/chats.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { Messages } from '../../store/messages.ts';
import { refusal } from '../refusals.ts';
import { type Announce, assignmentOf } from './assigning.ts';
import { later } from './follow-chats.ts';

export interface DeskPorts {
  readonly chats: Chats;
  readonly messages: Messages;
  readonly agents: Pick<Agents, 'find'>;
  readonly announce: Announce;
}

/** One chat, and whose eyes see it: an agent's (their id), or everybody's (null). */
export interface AtChat {
  readonly device: DeviceRow;
  readonly chatId: string;
  readonly seenBy: string | null;
}

/** What people change of a chat; what is not named stays. */
export interface ChatChange {
  readonly status?: ChatStatus;
  /** null: nobody. */
  readonly agent_id?: string | null;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly tags?: readonly Tag[];
}

const MOST_NOTES = 200;

/** The moves of api.md "State machines". */
const MOVES: Readonly<Record<ChatStatus, readonly ChatStatus[]>> = {
  open: ['open', 'pending'],
  pending: ['pending', 'open', 'resolved'],
  resolved: ['resolved', 'pending'],
};

/** Refuses NOT_FOUND, also where an agent may not see it. */
export async function chatOf({ chats }: DeskPorts, { device, chatId, seenBy }: AtChat): Promise<ChatRow> {
  return visible(await chats.find(device.tenant_id, device._id, chatId), seenBy);
}

/** Who makes a change, and when (epoch ms): an agent, or the tenant for its owner and keys. */
export interface By {
  readonly who: string;
  readonly now: number;
}

/**
 * Refuses NOT_FOUND, also for an agent whom the tenant does not have, and CONFLICT for one who is not active and for a move of status that is
 * not in the table: then nothing changes.
 */
export async function changeChat(ports: DeskPorts, at: AtChat, { tags, agent_id, ...change }: ChatChange, by: By): Promise<ChatRow> {
  if (agent_id) await expectAtWork(ports, at.device.tenant_id, agent_id);
  const { status } = change;
  const chat = await changed(ports, at, async (before) => {
    if (status && !MOVES[before.status].includes(status)) throw refusal('CONFLICT', { reason: `${before.status} → ${status}` });
    return {
      ...change,
      ...(status && { decided_at: before.last_inbound_id }),
      ...(tags && { tags, tag_names: tags.map(({ name }) => name) }),
      ...(agent_id !== undefined && (await assigned(ports, before, agent_id, by))),
    };
  });
  if (chat.owes) await ports.announce([chat]);
  return chat;
}

async function expectAtWork({ agents }: DeskPorts, tenantId: string, agentId: string): Promise<void> {
  const agent = await agents.find(tenantId, agentId);
  if (!agent) throw refusal('NOT_FOUND', { reason: 'agent_id' });
  if (!agent.is_active) throw refusal('CONFLICT', { reason: { en: 'the agent is not active', id: 'agen tidak aktif' } });
}

/** Nothing happens to a chat that is with this agent already; one that is left to nobody on purpose waits for no rule. */
async function assigned({ announce }: DeskPorts, chat: ChatRow, agentId: string | null, { who, now }: By): Promise<ChatPatch> {
  if (chat.agent_id === agentId) return chat.seeks_agent ? { seeks_agent: false } : {};
  // The row has room for one assignment that is not announced.
  if (chat.owes) await announce([chat]);
  return assignmentOf(chat, agentId, who, now);
}

/** All that was heard of is read. */
export function markRead(ports: DeskPorts, at: AtChat): Promise<ChatRow> {
  return changed(ports, at, async (chat) => {
    const read_up_to = later(chat.last_inbound_id, chat.read_up_to);
    return { read_up_to, unread_count: await ports.messages.unread(chat.session_id, chat.chat_id, read_up_to) };
  });
}

/** Refuses LIMIT_REACHED beyond 200 notes. */
export function addNote(ports: DeskPorts, at: AtChat, text: string): Promise<ChatRow> {
  return changed(ports, at, ({ notes }) => {
    if (notes.length >= MOST_NOTES) throw refusal('LIMIT_REACHED');
    return { notes: [text, ...notes] };
  });
}

/** `index` counts from the newest. Refuses NOT_FOUND. */
export function removeNote(ports: DeskPorts, at: AtChat, index: number): Promise<ChatRow> {
  return changed(ports, at, ({ notes }) => {
    if (index >= notes.length) throw refusal('NOT_FOUND');
    return { notes: notes.toSpliced(index, 1) };
  });
}

type Decide = (chat: ChatRow) => ChatPatch | Promise<ChatPatch>;

async function changed({ chats }: DeskPorts, { device, chatId, seenBy }: AtChat, decide: Decide): Promise<ChatRow> {
  return visible(await chats.change(device.tenant_id, device._id, chatId, (chat) => decide(visible(chat, seenBy))), null);
}

function visible(chat: ChatRow | null, seenBy: string | null): ChatRow {
  if (!chat || !maySee(chat, seenBy)) throw refusal('NOT_FOUND');
  return chat;
}

/** Agents see chats that are assigned to them or to nobody. */
const maySee = ({ agent_id }: ChatRow, seenBy: string | null): boolean => seenBy === null || agent_id === null || agent_id === seenBy;
