import type { ContactRow, Contacts } from '../../../store/contacts/contacts.ts';
import type { ChatRow } from '../../../store/conversations/chats.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import { isChannel } from '../../network/channels.ts';
import { subjectOf } from '../../network/subject.ts';
import { BY_A_MESSAGE } from '../contacts/contacts.ts';

/** Something that is about a chat, and the name that the chat has of itself. */
type AboutChat = Pick<ChatRow, 'chat_id' | 'chat_name'>;

/** A chat, and every name that its person goes by. */
export interface NamedChat<C extends AboutChat = ChatRow> {
  /** `chat_name`: the contact's name here, else the one that the person shows on the network. */
  readonly row: C;
  readonly names: readonly string[];
}

export interface ChatNames {
  /** These chats of one tenant, in their order. */
  nameAll<C extends AboutChat>(tenantId: string, rows: readonly C[]): Promise<readonly NamedChat<C>[]>;
}

/** Names that chats have on the network beside those of people. */
interface Titles {
  /** Of these channels of a tenant. */
  named(tenantId: string, channelIds: readonly string[]): Promise<readonly { readonly channel_id: string; readonly name: string }[]>;
}

/** `groups`: the groups that devices of the business are in, as the network tells them; `channels` likewise. */
export function createChatNames(contacts: Pick<Contacts, 'byPhones'>, groups: Pick<Groups<object>, 'named'>, channels: Titles): ChatNames {
  return {
    async nameAll(tenantId, rows) {
      const phones = rows.flatMap(({ chat_id }) => subjectOf(chat_id) ?? []);
      const known = new Map((await contacts.byPhones(tenantId, [...new Set(phones)])).map((contact) => [contact.phone, contact]));
      const groupIds = rows.flatMap(({ chat_id }) => (chat_id.endsWith('@g.us') ? [chat_id] : []));
      const channelIds = rows.map(({ chat_id }) => chat_id).filter(isChannel);
      const titles = new Map([
        ...(await groups.named(tenantId, [...new Set(groupIds)])).map(({ group_id, subject }) => [group_id, subject] as const),
        ...(await channels.named(tenantId, [...new Set(channelIds)])).map(({ channel_id, name }) => [channel_id, name] as const),
      ]);
      return rows.map((row) => titled(row, titles.get(row.chat_id)) ?? named(row, known.get(subjectOf(row.chat_id) ?? '')));
    },
  };
}

function titled<C extends AboutChat>(row: C, title: string | undefined): NamedChat<C> | null {
  return title ? { row: { ...row, chat_name: title }, names: [title] } : null;
}

function named<C extends AboutChat>(row: C, contact: ContactRow | undefined): NamedChat<C> {
  const here = contact?.name || null;
  // The name of a contact that a message made is one that the person showed then: they may show another one by now.
  const isChosen = contact?.made_by !== BY_A_MESSAGE;
  const chat_name = (isChosen ? here || row.chat_name : row.chat_name || here) || null;
  return { row: { ...row, chat_name }, names: [here, row.chat_name].flatMap((name) => name || []) };
}
