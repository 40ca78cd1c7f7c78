import { newId } from '../../runtime/ids.ts';
import { type ChatPatch, type ChatRow, type Chats, chatKey } from '../../store/chats.ts';
import type { MessageRow, Messages } from '../../store/messages.ts';
import type { Choose } from '../agents/choosing.ts';
import type { FollowUp } from '../follow-ups.ts';
import { isLid } from '../network/jid.ts';
import type { People } from '../people/people.ts';
import { type Announce, assignmentOf } from './assigning.ts';

export interface ChatPorts {
  readonly chats: Chats;
  readonly messages: Messages;
  /** Who gets a chat that nobody is assigned to. */
  readonly choose: Choose;
  readonly announce: Announce;
  readonly people: Pick<People, 'settle'>;
}

/**
 * Keeps each chat as its messages say. Nothing is counted up: what is unread is counted anew from the stored messages, and the rest is
 * taken from the newest message, so that copies, repeats after a crash and any order lead to the same row. A new or re-opened chat of nobody
 * gets its agent in the same write.
 */
export function keepChats({ chats, messages, people, choose, announce }: ChatPorts, now: () => number): FollowUp {
  async function keep(rows: readonly MessageRow[]): Promise<void> {
    const { tenant_id, session_id, chat_id } = rows[0]!;
    const change = () => chats.change(tenant_id, session_id, chat_id, follow);
    const isHeard = rows.some(({ direction }) => direction === 'inbound');
    // Whoever answers on the phone has read there what came before.
    const answered = newest(rows.filter(({ from_phone }) => from_phone))?._id ?? '';
    async function follow(chat: ChatRow): Promise<ChatPatch | null> {
      const read_up_to = later(answered, chat.read_up_to);
      const isCounted = isHeard || answered !== '';
      const unread = isCounted && { read_up_to, unread_count: await messages.unread(session_id, chat_id, read_up_to) };
      const patch = { ...heard(chat, rows), ...unread };
      return changesOf(chat, { ...patch, ...(isHeard && (await given({ ...chat, ...patch }))) });
    }
    // Once, however often the write has to be tried again: a choice is a turn.
    const choice = once(() => choose(tenant_id));
    async function given(chat: ChatRow): Promise<ChatPatch> {
      if (!chat.seeks_agent || chat.agent_id !== null) return {};
      const agentId = await choice();
      if (agentId === null) return {};
      if (chat.owes) await announce([chat]);
      return assignmentOf(chat, agentId, null, now());
    }
    const kept = (await change()) ?? (await chats.open(newChat(rows[0]!, now())).then(change));
    if (kept?.owes) await announce([kept]);
  }

  return {
    name: 'chats',
    async run(rows) {
      const seen = await withNumbers(people, rows.filter(isPartOfChat));
      const byChat = Map.groupBy(seen, ({ session_id, chat_id }) => chatKey(session_id, chat_id));
      await Promise.all([...byChat.values()].map(keep));
      // Whose number became known meanwhile has a chat under the hidden address again.
      await withNumbers(people, seen);
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The rows in the chats that they belong to by now. */
async function withNumbers(people: ChatPorts['people'], rows: readonly MessageRow[]): Promise<readonly MessageRow[]> {
  const [first] = rows;
  const lids = [...new Set(rows.map(({ chat_id }) => chat_id).filter(isLid))];
  if (!first || lids.length === 0) return rows;
  const numbers = await people.settle(first.tenant_id, first.session_id, lids);
  return rows.map((row) => ({ ...row, chat_id: numbers.get(row.chat_id) ?? row.chat_id }));
}

/** Receipts come often and change nothing here. */
function changesOf(chat: ChatRow, patch: ChatPatch): ChatPatch | null {
  const now = new Map<string, unknown>(Object.entries(chat));
  return Object.entries(patch).some(([name, value]) => now.get(name) !== value) ? patch : null;
}

/** What never left is no part of the conversation; nor are reactions. */
const isPartOfChat = ({ message_type, direction, sent_at, delivered_at, read_at }: MessageRow): boolean =>
  message_type !== 'reaction' && (direction === 'inbound' || sent_at !== null || delivered_at !== null || read_at !== null);

/** What these messages make of a chat, but for its unread count. */
export function heard(chat: ChatRow, rows: readonly MessageRow[]): ChatPatch {
  const last = newest(rows);
  const lastIn = newest(rows.filter(({ direction }) => direction === 'inbound'));
  return {
    ...(last && last._id >= chat.last_message_id && lastMessage(last)),
    ...(lastIn && lastIn._id > chat.last_inbound_id && cameIn(chat, lastIn)),
  };
}

export const later = (one: string, other: string): string => (one > other ? one : other);

export const newest = (rows: readonly MessageRow[]): MessageRow | null =>
  rows.reduce<MessageRow | null>((best, row) => (best === null || row._id > best._id ? row : best), null);

const lastMessage = ({ _id, body, created_at }: MessageRow): ChatPatch => ({
  last_message: body,
  last_message_at: created_at,
  last_message_id: _id,
});

function cameIn(chat: ChatRow, { _id, sender_name }: MessageRow): ChatPatch {
  const opens = _id > chat.decided_at;
  const isNew = chat.last_inbound_id === '';
  return {
    last_inbound_id: _id,
    ...(opens && { status: 'open' as const }),
    ...(chat.agent_id === null && (isNew || (opens && chat.status !== 'open')) && { seeks_agent: true }),
    ...(chat.is_group === 0 && sender_name !== null && { chat_name: sender_name }),
  };
}

export function newChat({ tenant_id, session_id, chat_id, created_at }: MessageRow, now: number): ChatRow {
  return {
    _id: chatKey(session_id, chat_id),
    id: newId(now),
    tenant_id,
    session_id,
    chat_id,
    chat_name: null,
    is_group: chat_id.endsWith('@g.us') ? 1 : 0,
    last_message: null,
    last_message_at: created_at,
    last_message_id: '',
    last_inbound_id: '',
    read_up_to: '',
    unread_count: 0,
    status: 'open',
    decided_at: '',
    agent_id: null,
    seeks_agent: false,
    assignments: 0,
    assigned_at: 0,
    assigned_by: null,
    assigned_from: null,
    owes: false,
    pinned: false,
    archived: false,
    tags: [],
    tag_names: [],
    notes: [],
    rev: 0,
    created_at: now,
  };
}
