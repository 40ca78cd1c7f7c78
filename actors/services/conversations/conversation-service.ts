import type { Agents } from '../../../store/agents/agents.ts';
import type { ChatPatch, ChatRow, ChatStatus, Chats, Tag } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import { beyondLimit } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import { type Announce, assignmentOf } from './announce-assignment.ts';
import { type ChatMarkDeps, markChat } from './chat-marks.ts';
import { newNote, withNote, withoutNote } from './notes.ts';
import { later } from './outbox-handler.ts';

/**
 * Applies the changes that people make to a chat: status, assignment, tags, notes and marks. Agents
 * can change only chats that they can see. Invariant: with each decision about the status, the
 * chat's last message is stored (`decided_at`), so that only later messages reopen the chat. Data:
 * store/conversations/chats.ts.
 */

export interface ConversationDeps {
  readonly chats: Chats;
  readonly messages: Messages;
  readonly agents: Pick<Agents, 'find'>;
  readonly announce: Announce;
}

export interface AtChat {
  readonly device: DeviceRow;
  readonly chatId: string;
  readonly seenBy: string | null;
}

export interface ChatChange {
  readonly status?: ChatStatus;
  readonly agent_id?: string | null;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly muted_until?: number | null;
  readonly unread?: boolean;
  readonly tags?: readonly Tag[];
  readonly add_tags?: readonly Tag[];
  /** Until this time, the chat is snoozed (`pending`). Null reopens a snoozed chat. */
  readonly snoozed_until?: number | null;
}

export const MAX_CHAT_TAGS = 20;

export async function chatOf({ chats }: ConversationDeps, { device, chatId, seenBy }: AtChat): Promise<ChatRow> {
  return visible(await chats.find(device.tenant_id, device._id, chatId), seenBy);
}

export interface By {
  readonly who: string;
  readonly now: number;
}

export async function changeChat(
  deps: ConversationDeps & ChatMarkDeps,
  at: AtChat,
  { tags, add_tags, agent_id, status, snoozed_until, ...marks }: ChatChange,
  by: By,
): Promise<ChatRow> {
  if (agent_id) await expectAtWork(deps, at.device.tenant_id, agent_id);
  const marked = await markChat(deps, at.device, await chatOf(deps, at), marks, by.now);
  if (!status && agent_id === undefined && !tags && !add_tags && snoozed_until === undefined) return marked;
  const chat = await changed(deps, at, async (before) => {
    return {
      ...(status && { status, decided_at: before.last_inbound_id, ...(before.snoozed_until && { snoozed_until: null }) }),
      ...(snoozed_until !== undefined && snoozed(before, snoozed_until, by.now)),
      ...(status === 'resolved' && { resolved_at: by.now }),
      ...tagged(tags ?? before.tags, tags, add_tags),
      ...(agent_id !== undefined && (await assigned(deps, before, agent_id, by))),
    };
  });
  if (chat.outbox_pending) await deps.announce([chat]);
  return chat;
}

function snoozed({ snoozed_until: former, last_inbound_id }: ChatRow, until: number | null, now: number): ChatPatch {
  if (until !== null) return { status: 'pending', decided_at: last_inbound_id, snoozed_until: until, snoozed_at: now };
  return former ? { status: 'open', decided_at: last_inbound_id, snoozed_until: null } : {};
}

/** Adds tags to those that are stored at that moment, so that all concurrent additions count. */
function tagged(own: readonly Tag[], tags: readonly Tag[] | undefined, added: readonly Tag[] = []): ChatPatch {
  if (!tags && added.length === 0) return {};
  const names = new Set(own.map(({ name }) => name));
  const all = [...own, ...added.filter(({ name }) => !names.has(name))];
  if (all.length > MAX_CHAT_TAGS) throw beyondLimit(MAX_CHAT_TAGS, { en: 'tags per chat', id: 'tag per percakapan' });
  return { tags: all, tag_names: all.map(({ name }) => name) };
}

async function expectAtWork({ agents }: ConversationDeps, tenantId: string, agentId: string): Promise<void> {
  const agent = await agents.find(tenantId, agentId);
  if (!agent) throw refusal('NOT_FOUND', { reason: 'agent_id' });
  if (!agent.is_active) throw refusal('CONFLICT', { reason: { en: 'the agent is not active', id: 'agen tidak aktif' } });
}

/** Assigns a chat. If a person unassigns it, it is not assigned automatically again. */
async function assigned({ announce }: ConversationDeps, chat: ChatRow, agentId: string | null, { who, now }: By): Promise<ChatPatch> {
  if (chat.agent_id === agentId) return chat.seeks_agent ? { seeks_agent: false } : {};
  // The row can hold only one unannounced assignment, so announce the previous one first.
  if (chat.outbox_pending) await announce([chat]);
  return assignmentOf(chat, agentId, who, now);
}

export function markRead(deps: ConversationDeps, at: AtChat): Promise<ChatRow> {
  return changed(deps, at, async (chat) => {
    const read_up_to = later(chat.last_inbound_id, chat.read_up_to);
    return { read_up_to, unread_count: await deps.messages.unread(chat.session_id, chat.chat_id, read_up_to) };
  });
}

export function addNote(deps: ConversationDeps, at: AtChat, text: string, { who, name, now }: Author): Promise<ChatRow> {
  return changed(deps, at, ({ notes }) => ({ notes: withNote(notes, newNote(text, { by: who, name }, now)) }));
}

export interface Author extends By {
  readonly name: string;
}

export function removeNote(deps: ConversationDeps, at: AtChat, named: string): Promise<ChatRow> {
  return changed(deps, at, (chat) => ({ notes: withoutNote(chat, named, at.seenBy) }));
}

type Decide = (chat: ChatRow) => ChatPatch | Promise<ChatPatch>;

async function changed({ chats }: ConversationDeps, { device, chatId, seenBy }: AtChat, decide: Decide): Promise<ChatRow> {
  return visible(await chats.change(device.tenant_id, device._id, chatId, (chat) => decide(visible(chat, seenBy))), null);
}

function visible(chat: ChatRow | null, seenBy: string | null): ChatRow {
  if (!chat || !maySee(chat, seenBy)) throw refusal('NOT_FOUND');
  return chat;
}

const maySee = ({ agent_id }: ChatRow, seenBy: string | null): boolean => seenBy === null || agent_id === null || agent_id === seenBy;
