import type { ChatMoves } from '../../../store/conversations/chat-merges.ts';
import type { StoredNote } from '../../../store/conversations/chat-row.ts';
import { timerIn } from '../../../store/conversations/chat-timers.ts';
import { type ChatPatch, type ChatRow, type ChatStatus, type Chats, chatKey } from '../../../store/conversations/chats.ts';
import { windowOf } from '../../../store/conversations/windows.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import { userJid } from '../../network/jid.ts';

/** Merges a person's chats after two addresses turn out to belong to the same person. */

export interface MergeDeps {
  readonly chats: Chats;
  readonly moves: ChatMoves;
  readonly messages: Pick<Messages, 'unread'>;
}

export interface Merge {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly address: string;
  readonly phone: string;
}

/** Repeatable: each step only adds to the new chat. The former chat is deleted last, if unchanged. */
export async function mergeChat(deps: MergeDeps, merge: Merge): Promise<void> {
  const { chats, moves } = deps;
  const { tenantId, sessionId, address, phone } = merge;
  const to = userJid(phone);
  for (;;) {
    const hidden = await chats.find(tenantId, sessionId, address);
    if (hidden) await takeIn(deps, hidden, to);
    await moves.move(sessionId, address, to);
    if (hidden) await recount(deps, hidden, to);
    if (!hidden || (await chats.remove(hidden))) return;
  }
}

async function takeIn({ chats, moves }: MergeDeps, hidden: ChatRow, to: string): Promise<void> {
  const { tenant_id, session_id } = hidden;
  await chats.open({ ...hidden, _id: chatKey(session_id, to), chat_id: to });
  const firstHidden = await moves.firstUnread(session_id, hidden.chat_id, hidden.read_up_to);
  await chats.change(tenant_id, session_id, to, async (chat) => {
    const firstSeen = await moves.firstUnread(session_id, to, chat.read_up_to);
    return { ...both(chat, hidden), read_up_to: readUpTo(chat, hidden, earliest(firstHidden, firstSeen)) };
  });
}

async function recount({ chats, messages }: MergeDeps, { tenant_id, session_id }: ChatRow, to: string): Promise<void> {
  await chats.change(tenant_id, session_id, to, async ({ read_up_to }) => ({
    unread_count: await messages.unread(session_id, to, read_up_to),
  }));
}

function readUpTo(chat: ChatRow, hidden: ChatRow, first: string | null): string {
  if (first !== null) return justBefore(first);
  return [chat, hidden].flatMap(({ last_inbound_id, read_up_to }) => [last_inbound_id, read_up_to]).reduce(later);
}

/** Returns a text that sorts before `id`, but after all smaller IDs. */
export const justBefore = (id: string): string => `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}~`;

const earliest = (one: string | null, other: string | null): string | null => {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
};

const later = (one: string, other: string): string => (one > other ? one : other);

/** Statuses, most urgent first. A merged chat gets the more urgent status of the two chats. */
const URGENCY: readonly ChatStatus[] = ['open', 'pending', 'resolved'];

function assigned(chat: ChatRow, hidden: ChatRow): ChatPatch {
  const { agent_id, assigned_at, assigned_by, assigned_from } = hidden;
  if (chat.agent_id !== null || agent_id === null)
    return { seeks_agent: chat.agent_id === null && (chat.seeks_agent || hidden.seeks_agent) };
  const told = { assignments: chat.assignments + 1, outbox_pending: chat.outbox_pending || hidden.outbox_pending };
  return { agent_id, assigned_at, assigned_by, assigned_from, seeks_agent: false, ...told };
}

/** Merges the times on which AI replies depend by keeping the later ones. */
function lastTimes(chat: ChatRow, hidden: ChatRow): ChatPatch {
  const resolved_at = Math.max(chat.resolved_at ?? 0, hidden.resolved_at ?? 0);
  const handed_off = later(chat.handed_off ?? '', hidden.handed_off ?? '');
  return { ...(resolved_at > 0 && { resolved_at }), ...(handed_off !== '' && { handed_off }) };
}

function marked(chat: ChatRow, hidden: ChatRow): ChatPatch {
  if (!hidden.marked_at) return {};
  return {
    muted_until: chat.muted_until ?? hidden.muted_until ?? null,
    marked_at: { ...hidden.marked_at, ...chat.marked_at },
    for_phone: { ...hidden.for_phone, ...chat.for_phone },
    waits_for_phone: chat.waits_for_phone === true || hidden.waits_for_phone === true,
  };
}

function cleared(chat: ChatRow, hidden: ChatRow): ChatPatch {
  const cleared_until = Math.max(chat.cleared_until ?? 0, hidden.cleared_until ?? 0);
  return cleared_until > 0 ? { cleared_until } : {};
}

function timer(chat: ChatRow, hidden: ChatRow): ChatPatch {
  const { seconds, at } = timerIn(timerIn(chat).at >= timerIn(hidden).at ? chat : hidden);
  return at > 0 ? { ephemeral: seconds, ephemeral_at: at } : {};
}

function snooze(chat: ChatRow, hidden: ChatRow, status: ChatStatus): ChatPatch {
  const until = Math.max(chat.snoozed_until ?? 0, hidden.snoozed_until ?? 0);
  return until === 0 ? {} : { snoozed_until: status === 'pending' ? until : null };
}

function both(chat: ChatRow, hidden: ChatRow): ChatPatch {
  const { last_message, last_message_at, last_message_id } = chat.last_message_id >= hidden.last_message_id ? chat : hidden;
  const status = URGENCY.find((one) => chat.status === one || hidden.status === one) ?? 'open';
  const tags = [...chat.tags, ...hidden.tags.filter(({ name }) => !chat.tag_names.includes(name))];
  return {
    chat_name: chat.chat_name ?? hidden.chat_name,
    last_message,
    last_message_at,
    last_message_id,
    last_inbound_id: later(chat.last_inbound_id, hidden.last_inbound_id),
    status,
    ...snooze(chat, hidden, status),
    decided_at: later(chat.decided_at, hidden.decided_at),
    ...lastTimes(chat, hidden),
    ...assigned(chat, hidden),
    pinned: chat.pinned || hidden.pinned,
    archived: chat.archived && hidden.archived,
    ...marked(chat, hidden),
    ...cleared(chat, hidden),
    ...timer(chat, hidden),
    ...windowOf([chat, hidden]),
    tags,
    tag_names: tags.map(({ name }) => name),
    notes: mergedNotes(chat.notes, hidden.notes),
  };
}

const mergedNotes = (own: readonly StoredNote[], others: readonly StoredNote[]): readonly StoredNote[] => {
  const known = new Set(own.map(keyOf));
  return [...own, ...others.filter((note) => !known.has(keyOf(note)))];
};

const keyOf = (note: StoredNote): string => (typeof note === 'string' ? `text ${note}` : note.id);
