import type { ContactRow, Contacts } from '../../../store/contacts/contacts.ts';
import type { ChatRow } from '../../../store/conversations/chats.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import { phoneOf } from '../../network/jid.ts';
import { BY_A_MESSAGE } from '../contacts/contacts.ts';

/** A chat, and every name that its person goes by. */
export interface NamedChat {
  /** `chat_name`: the contact's name here, else the one that the person shows on the network. */
  readonly row: ChatRow;
  readonly names: readonly string[];
}

export interface ChatNames {
  /** These chats of one tenant, in their order. */
  nameAll(tenantId: string, rows: readonly ChatRow[]): Promise<readonly NamedChat[]>;
}

/** `groups`: the groups that devices of the business are in, as the network tells them. */
export function createChatNames(contacts: Pick<Contacts, 'byPhones'>, groups: Pick<Groups<object>, 'named'>): ChatNames {
  return {
    async nameAll(tenantId, rows) {
      const phones = rows.flatMap(({ chat_id }) => phoneOf(chat_id) ?? []);
      const known = new Map((await contacts.byPhones(tenantId, [...new Set(phones)])).map((contact) => [contact.phone, contact]));
      const ids = rows.flatMap(({ chat_id }) => (chat_id.endsWith('@g.us') ? [chat_id] : []));
      const subjects = new Map((await groups.named(tenantId, [...new Set(ids)])).map(({ group_id, subject }) => [group_id, subject]));
      return rows.map((row) => {
        const subject = subjects.get(row.chat_id);
        return subject ? { row: { ...row, chat_name: subject }, names: [subject] } : named(row, known.get(phoneOf(row.chat_id) ?? ''));
      });
    },
  };
}

function named(row: ChatRow, contact: ContactRow | undefined): NamedChat {
  const here = contact?.name || null;
  // The name of a contact that a message made is one that the person showed then: they may show another one by now.
  const isChosen = contact?.made_by !== BY_A_MESSAGE;
  const chat_name = (isChosen ? here || row.chat_name : row.chat_name || here) || null;
  return { row: { ...row, chat_name }, names: [here, row.chat_name].flatMap((name) => name || []) };
}
