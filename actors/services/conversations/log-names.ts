import type { ChatRow, Chats } from '../../../store/conversations/chats.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Keep } from '../../../store/paging/page.ts';
import { type Person, personAt } from '../../network/person.ts';
import type { People } from '../people/people.ts';
import type { ChatNames } from './chat-names.ts';

export interface LogNameDeps {
  readonly chats: Pick<Chats, 'these'>;
  readonly chatNames: ChatNames;
  readonly persons: People;
}

export async function withSenders(persons: People, tenantId: string, rows: readonly MessageRow[]): Promise<readonly MessageRow[]> {
  const named = await persons.describe(tenantId, rows.map(senderOf));
  return rows.map((row, nth) => (row.sender === null ? row : { ...row, sender_name: named[nth]?.name ?? null }));
}

/** Searches the message log. Names are cached, so create a new search for each page. */
export function searchLog(deps: LogNameDeps, device: DeviceRow, q: string, visible: Keep<MessageRow> | null): Keep<MessageRow> {
  const wanted = q.toLowerCase();
  const says = (text: string | null | undefined): boolean => text?.toLowerCase().includes(wanted) === true;
  const [byChat, bySender] = [new Map<string, boolean>(), new Map<string, boolean>()];

  async function learn(rows: readonly MessageRow[]): Promise<void> {
    const chatIds = [...new Set(rows.map(({ chat_id }) => chat_id))].filter((id) => !byChat.has(id));
    for (const { row, names } of await namedChats(deps, device, chatIds)) byChat.set(row.chat_id, names.some(says));
    const written = rows.filter(({ sender }) => sender !== null && !bySender.has(sender));
    const senders = await deps.persons.describe(device.tenant_id, written.map(senderOf));
    for (const [nth, { sender }] of written.entries()) bySender.set(sender ?? '', says(senders[nth]?.name));
  }

  return async (rows) => {
    await learn(rows.filter(({ body }) => !says(body)));
    const holds = ({ body, chat_id, sender, sender_name }: MessageRow): boolean =>
      says(body) || says(sender_name) || byChat.get(chat_id) === true || (sender !== null && bySender.get(sender) === true);
    const found = rows.filter(holds);
    return visible ? visible(found) : found;
  };
}

async function namedChats({ chats, chatNames }: LogNameDeps, { tenant_id, _id }: DeviceRow, chatIds: readonly string[]) {
  const known = new Map((await chats.these(tenant_id, _id, chatIds)).map((chat) => [chat.chat_id, chat]));
  const about = chatIds.map((chat_id): Pick<ChatRow, 'chat_id' | 'chat_name'> => known.get(chat_id) ?? { chat_id, chat_name: null });
  return chatNames.nameAll(tenant_id, about);
}

const senderOf = ({ sender, sender_lid, sender_name }: MessageRow): Person => personAt(sender ?? '', sender_lid ?? null, sender_name);
