import { groupsOf, type NonEmpty } from '../../../runtime/groups.ts';
import { newId } from '../../../runtime/ids.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import { type ChatPatch, type ChatRow, type Chats, chatKey, type LastMessage } from '../../../store/conversations/chats.ts';
import { windowOf } from '../../../store/conversations/windows.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { isBroadcast } from '../../network/jid.ts';
import type { Choose } from '../agents/choose-agent.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import { type Announce, assignmentOf } from './announce-assignment.ts';
import { previewOf } from './preview.ts';

export interface ChatDeps {
  readonly chats: Chats;
  readonly messages: Messages;
  readonly choose: Choose;
  readonly announce: Announce;
  readonly snoozeEnded: (chat: ChatRow) => Promise<void>;
  readonly people: Pick<IdentityResolver, 'settle' | 'mayBeOther' | 'isOther'>;
}

/** Derives chats from stored counts and newest messages, so repeated or reordered calls are harmless. */
export function updateChats({ chats, messages, people, choose, announce, snoozeEnded }: ChatDeps, now: () => number): OutboxHandler {
  async function keep(rows: NonEmpty<MessageRow>): Promise<void> {
    const { tenant_id, session_id, chat_id } = rows[0];
    const change = () => chats.change(tenant_id, session_id, chat_id, follow);
    const isReceived = rows.some(({ direction }) => direction === 'inbound');
    // If a reply was sent from the phone, the earlier messages were probably read there.
    const answered = newest(rows.filter(({ from_phone }) => from_phone))?._id ?? '';
    async function follow(chat: ChatRow): Promise<ChatPatch | null> {
      const read_up_to = later(answered, chat.read_up_to);
      const isCounted = isReceived || answered !== '';
      const unread = isCounted && { read_up_to, unread_count: await messages.unread(session_id, chat_id, read_up_to) };
      const patch = { ...received(chat, rows), ...unread };
      if (chat.snoozed_until && patch.snoozed_until === null) await snoozeEnded(chat);
      return changesOf(chat, { ...patch, ...(isReceived && (await given({ ...chat, ...patch }))) });
    }
    // Choose only once, even if the write is retried, because each choice advances the rotation.
    const choice = once(() => choose(tenant_id));
    async function given(chat: ChatRow): Promise<ChatPatch> {
      if (!chat.seeks_agent || chat.agent_id !== null) return {};
      const agentId = await choice();
      if (agentId === null) return {};
      if (chat.outbox_pending) await announce([chat]);
      return assignmentOf(chat, agentId, null, now());
    }
    const kept = (await change()) ?? (await chats.open(newChat(rows[0], now())).then(change));
    if (kept?.outbox_pending) await announce([kept]);
  }

  async function keepAll(rows: readonly MessageRow[]): Promise<void> {
    const seen = await withNumbers(people, rows);
    const byChat = groupsOf(seen, ({ session_id, chat_id }) => chatKey(session_id, chat_id));
    await Promise.all([...byChat.values()].map(keep));
    // If the number became known meanwhile, the new chat may have the hidden address. Merge it.
    await withNumbers(people, seen);
  }

  async function noted(rows: NonEmpty<MessageRow>): Promise<readonly (() => Promise<unknown>)[] | null> {
    const { tenant_id, session_id, chat_id } = rows[0];
    const there = await chats.find(tenant_id, session_id, chat_id);
    if (there?.outbox_pending) return null;
    // Another node may have merged this chat into another one. Do not create it again.
    if (!there && (await people.isOther(tenant_id, chat_id))) return null;
    const last = lastMessage(newest(rows));
    const note = (): Promise<void> => chats.said(tenant_id, session_id, chat_id, last);
    if (!there) return [() => chats.open({ ...newChat(rows[0], now()), ...last }), note];
    return last.last_message_id >= there.last_message_id && changesOf(there, last) ? [note] : [];
  }

  return {
    name: 'chats',
    async plan(rows) {
      const own = rows.filter(isPartOfChat);
      // Create the chat even after a failed first message, so that an erasure finds the person.
      const begun = rows.filter(isBegunInVain).map((row) => () => chats.open(begunChat(row)));
      if (own.length === 0) return begun.length > 0 ? { writes: begun } : null;
      const alone = async (): Promise<void> => {
        for (const open of begun) await open();
        await keepAll(own);
      };
      if (!own.every((row) => isPlainlySent(row) && !people.mayBeOther(row.tenant_id, row.chat_id))) return { alone };
      const byChat = groupsOf(own, ({ session_id, chat_id }) => chatKey(session_id, chat_id));
      const writes = await Promise.all([...byChat.values()].map(noted));
      const known = writes.filter((of) => of !== null);
      return known.length === writes.length ? { writes: [...begun, ...known.flat()] } : { alone };
    },
  };
}

const isPlainlySent = ({ direction, from_phone }: MessageRow): boolean => direction === 'outbound' && !from_phone;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

async function withNumbers(people: ChatDeps['people'], rows: readonly MessageRow[]): Promise<readonly MessageRow[]> {
  const [first] = rows;
  if (!first) return rows;
  const numbers = await people.settle(first.tenant_id, first.session_id, [...new Set(rows.map(({ chat_id }) => chat_id))]);
  return rows.map((row) => ({ ...row, chat_id: numbers.get(row.chat_id) ?? row.chat_id }));
}

function changesOf(chat: ChatRow, patch: ChatPatch): ChatPatch | null {
  const now = new Map<string, unknown>(Object.entries(chat));
  return Object.entries(patch).some(([name, value]) => now.get(name) !== value) ? patch : null;
}

const isBegunInVain = (row: MessageRow): boolean =>
  row.status === 'failed' &&
  row.direction === 'outbound' &&
  (row.written_by !== undefined || row.made_by?.kind === 'api_key') &&
  !isBroadcast(row.chat_id) &&
  row.origin === undefined &&
  !isPartOfChat(row);

const isPartOfChat = ({ chat_id, message_type, direction, sent_at, delivered_at, read_at }: MessageRow): boolean =>
  !isBroadcast(chat_id) &&
  message_type !== 'reaction' &&
  (direction === 'inbound' || sent_at !== null || delivered_at !== null || read_at !== null);

export function received(chat: ChatRow, rows: readonly MessageRow[]): ChatPatch {
  const last = newest(rows);
  const lastIn = newest(rows.filter(({ direction }) => direction === 'inbound'));
  return {
    ...(last && last._id >= chat.last_message_id && lastMessage(last)),
    ...(lastIn && lastIn._id > chat.last_inbound_id && cameIn(chat, lastIn)),
    ...windowOf([chat, ...rows]),
  };
}

export const later = (one: string, other: string): string => (one > other ? one : other);

export function newest(rows: NonEmpty<MessageRow>): MessageRow;
export function newest(rows: readonly MessageRow[]): MessageRow | null;
export function newest(rows: readonly MessageRow[]): MessageRow | null {
  return rows.reduce<MessageRow | null>((best, row) => (best === null || row._id > best._id ? row : best), null);
}

const lastMessage = ({ _id, body, created_at }: Pick<MessageRow, '_id' | 'body' | 'created_at'>): LastMessage => ({
  last_message: previewOf(body),
  last_message_at: created_at,
  last_message_id: _id,
});

type FirstMessage = Pick<MessageRow, '_id' | 'tenant_id' | 'session_id' | 'chat_id' | 'body' | 'created_at'>;

const begunChat = (row: FirstMessage): ChatRow => ({ ...newChat(row, row.created_at), ...lastMessage(row) });

/** Opens the chat of a message that may wait a long time, so that the inbox shows it meanwhile. */
export async function beginChat(
  chats: Pick<Chats, 'find' | 'open'>,
  { body, ...first }: Omit<FirstMessage, 'body'> & { readonly body: string | null },
): Promise<void> {
  const { tenant_id, session_id, chat_id } = first;
  if (isBroadcast(chat_id) || (await chats.find(tenant_id, session_id, chat_id))) return;
  await chats.open(begunChat({ ...first, body: body === null ? null : safeText(body) }));
}

function cameIn(chat: ChatRow, { _id, sender_name }: MessageRow): ChatPatch {
  // A new message opens a resolved or snoozed chat. A pending chat that is not snoozed stays
  // pending.
  const opens = (chat.status === 'resolved' || Boolean(chat.snoozed_until)) && _id > chat.decided_at;
  const isNew = chat.last_inbound_id === '';
  return {
    last_inbound_id: _id,
    ...(opens && { status: 'open' as const, ...(chat.snoozed_until && { snoozed_until: null }) }),
    ...(chat.agent_id === null && (isNew || opens) && { seeks_agent: true }),
    ...(chat.is_group === 0 && sender_name !== null && { chat_name: sender_name }),
  };
}

export function newChat(
  { tenant_id, session_id, chat_id, created_at }: Pick<MessageRow, 'tenant_id' | 'session_id' | 'chat_id' | 'created_at'>,
  now: number,
): ChatRow {
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
    outbox_pending: false,
    pinned: false,
    archived: false,
    tags: [],
    tag_names: [],
    notes: [],
    rev: 0,
    created_at: now,
  };
}
