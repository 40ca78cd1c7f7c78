import type { Logger } from 'pino';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { codeOf } from '../../../runtime/errors.ts';
import type { ChatPatch, ChatRow, Chats } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { DeviceCommand } from '../../device/protocol.ts';
import {
  CHAT_MARKS,
  type ChatMark,
  type ChatMarkName,
  type ChatMarkValue,
  isMarkValue,
  type MarkedChat,
} from '../../network/chat-marks.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { justBefore } from '../identities/merge-chats.ts';
import { later } from './outbox-handler.ts';

/**
 * Keeps each chat's archive, pin, mute and unread marks in sync with the phone. A change goes to
 * the phone first. If the phone rejects it, nothing changes. While the device is offline,
 * `for_phone` in the chat keeps the change until the next login. The later change wins on both
 * sides, so repeated and reordered changes are harmless.
 */

export interface ChatMarkDeps {
  readonly chats: Chats;
  readonly messages: Pick<Messages, 'unread' | 'find'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

export type ChatMarkChange = { readonly [Name in ChatMarkName]?: ChatMarkValue };

const markOf = (chat: ChatRow, name: ChatMarkName): ChatMarkValue => {
  if (name === 'unread') return chat.unread_count > 0;
  return name === 'muted_until' ? (chat.muted_until ?? null) : chat[name];
};

/** If the phone rejects the change, fails and leaves the chat unchanged. */
export async function markChat(
  deps: ChatMarkDeps,
  device: DeviceRow,
  chat: ChatRow,
  change: ChatMarkChange,
  now: number,
): Promise<ChatRow> {
  const marks = wanted(chat, change, now);
  if (marks.length === 0) return chat;
  const answer = isOnPhone(chat) && device.status === 'connected' ? await askPhone(deps, device, chat, marks) : null;
  return (await keepMarks(deps, chat, answer ?? marks, answer === null && isOnPhone(chat))) ?? chat;
}

/** Archiving a chat also unpins it, as on the phone. */
function wanted(chat: ChatRow, { archived, pinned, ...others }: ChatMarkChange, now: number): readonly ChatMark[] {
  const unpinned = pinned ?? (archived === true ? false : undefined);
  const change = { ...(archived !== undefined && { archived }), ...(unpinned !== undefined && { pinned: unpinned }), ...others };
  return CHAT_MARKS.flatMap((name) => {
    const value = change[name];
    const isNew =
      isMarkValue(name, value) && (value !== markOf(chat, name) || (name === 'unread' && value !== (chat.marked_unread ?? false)));
    return isNew ? [{ name, value, at: Math.max(now, (chat.marked_at?.[name] ?? 0) + 1) }] : [];
  });
}

const isOnPhone = ({ chat_id }: ChatRow): boolean => /@(s\.whatsapp\.net|lid|g\.us)$/.test(chat_id);

async function askPhone(
  { messages, device }: Pick<ChatMarkDeps, 'messages' | 'device'>,
  row: Pick<DeviceRow, '_id' | 'tenant_id'>,
  chat: ChatRow,
  marks: readonly ChatMark[],
): Promise<readonly ChatMark[] | null> {
  const found = chat.last_message_id === '' ? null : await messages.find(row.tenant_id, row._id, chat.last_message_id);
  const last = found?.net_id ? { netId: found.net_id, from: found.sender_lid ?? found.sender, at: found.created_at } : null;
  const input = { id: chat.chat_id, marks, ...(last && { last }) };
  try {
    return await device(row).ask({ type: 'question', question: { name: 'chats.mark', input } }, PATIENCE_MS);
  } catch (cause) {
    // A driver without this feature fails with NOT_FOUND. The mark is then stored only here.
    if (codeOf(cause) === 'NOT_FOUND') return marks;
    if (codeOf(cause) === 'NOT_CONNECTED') return null;
    throw cause;
  }
}

/** Includes the time in the device's queue and the 15 s after which the network times out. */
const PATIENCE_MS = 28_000;

export function keepMarks(deps: Pick<ChatMarkDeps, 'chats' | 'messages'>, to: ChatRow, marks: readonly ChatMark[], waits: boolean) {
  return deps.chats.change(to.tenant_id, to.session_id, to.chat_id, async (chat) => {
    const newer = marks.filter(({ name, at }) => at >= (chat.marked_at?.[name] ?? 0));
    if (newer.length === 0) return null;
    const unread = newer.find(({ name }) => name === 'unread');
    const rest: { -readonly [Name in ChatMarkName]?: { readonly value: ChatMarkValue } } = { ...chat.for_phone };
    for (const { name } of newer) {
      if (!waits) delete rest[name];
      else rest[name] ??= { value: markOf(chat, name) };
    }
    return {
      ...Object.fromEntries(newer.filter(({ name }) => name !== 'unread').map(({ name, value }) => [name, value])),
      ...(unread && (await unreadPatch(deps, chat, unread))),
      marked_at: { ...chat.marked_at, ...Object.fromEntries(newer.map(({ name, at }) => [name, at])) },
      for_phone: rest,
      waits_for_phone: Object.keys(rest).length > 0,
    };
  });
}

/** Marking a chat unread concerns its last message; marking it read, all messages up to that time. */
async function unreadPatch({ messages }: Pick<ChatMarkDeps, 'messages'>, chat: ChatRow, { value, at }: ChatMark): Promise<ChatPatch> {
  const { session_id, chat_id, last_inbound_id: last } = chat;
  const isUnread = value === true;
  const before = last === '' ? '' : justBefore(last);
  const until = chat.last_message_at <= at || last < idFloor(at + 1) ? last : idFloor(at + 1);
  const read_up_to = isUnread ? earlier(chat.read_up_to, before) : later(chat.read_up_to, until);
  const count = await messages.unread(session_id, chat_id, read_up_to);
  return { read_up_to, unread_count: isUnread ? Math.max(1, count) : count, marked_unread: isUnread };
}

const earlier = (one: string, other: string): string => (one < other ? one : other);

/** Stores changes made on the phone, except for chats without messages here. Idempotent. */
export function keepChatMarks(deps: Pick<ChatMarkDeps, 'chats' | 'messages'> & { readonly people: Pick<IdentityResolver, 'place'> }) {
  return async ({ tenantId, sessionId }: Owner, marks: readonly MarkedChat[]): Promise<void> => {
    for (const { chat: from, chatAlt: alt, ...mark } of marks) {
      const place = await deps.people.place(tenantId, { chat: from, from, ...(alt && { chatAlt: alt, fromAlt: alt }) });
      const chat = await deps.chats.find(tenantId, sessionId, place.chat);
      if (chat) await keepMarks(deps, chat, [mark], false);
    }
  };
}

export interface ChatMirrorDeps extends ChatMarkDeps {
  readonly log: Logger;
}

/** Sends marks that wait for the phone. After a lost connection, the next login sends those left. */
export function mirrorChats(deps: ChatMirrorDeps) {
  return async ({ tenantId, sessionId }: Owner): Promise<void> => {
    const row = { _id: sessionId, tenant_id: tenantId };
    for (const chat of await deps.chats.waitingForPhone(tenantId, sessionId, MOST_AT_ONCE)) {
      const waiting = CHAT_MARKS.filter((name) => chat.for_phone?.[name]);
      const marks = waiting.map((name): ChatMark => ({ name, value: markOf(chat, name), at: chat.marked_at?.[name] ?? 0 }));
      try {
        const answer = await askPhone(deps, row, chat, marks);
        if (answer === null) return;
        await keepMarks(deps, chat, answer, false);
      } catch (cause) {
        if (codeOf(cause) !== 'CONFLICT')
          return deps.log.debug({ err: cause, device: sessionId }, 'changes of chats are waiting for the phone');
        // The phone rejected these marks, so the chat gets the values that the phone has.
        const former = waiting.map(
          (name): ChatMark => ({ name, value: chat.for_phone?.[name]?.value ?? null, at: chat.marked_at?.[name] ?? 0 }),
        );
        await keepMarks(deps, chat, former, false);
      }
    }
  };
}

const MOST_AT_ONCE = 1_000;
