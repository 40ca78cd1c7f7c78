import type { ChatPatch, ChatRow, ChatStatus, Chats, Tag } from '../../store/chats.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { Messages } from '../../store/messages.ts';
import { refusal } from '../refusals.ts';

export interface DeskPorts {
  readonly chats: Chats;
  readonly messages: Messages;
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

/** Refuses NOT_FOUND, and CONFLICT for a move of status that is not in the table: then nothing changes. */
export function changeChat(ports: DeskPorts, at: AtChat, { tags, ...change }: ChatChange): Promise<ChatRow> {
  return changed(ports, at, (chat) => {
    const { status } = change;
    if (status && !MOVES[chat.status].includes(status)) throw refusal('CONFLICT', { reason: `${chat.status} → ${status}` });
    return {
      ...change,
      ...(status && { decided_at: chat.last_inbound_id }),
      ...(tags && { tags, tag_names: tags.map(({ name }) => name) }),
    };
  });
}

/** All that was heard of is read. */
export function markRead(ports: DeskPorts, at: AtChat): Promise<ChatRow> {
  return changed(ports, at, async (chat) => {
    const read_up_to = chat.last_inbound_id;
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
