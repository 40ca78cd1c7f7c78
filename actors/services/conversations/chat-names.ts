import type { ContactRow, Contacts } from '../../../store/contacts/contacts.ts';
import type { ChatRow } from '../../../store/conversations/chats.ts';
import type { SavedNames } from '../../../store/conversations/saved-names.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { isChannel } from '../../network/channels.ts';
import { isLid, userJid } from '../../network/jid.ts';
import { personIn, subjectOf } from '../../network/subject.ts';
import { BY_A_MESSAGE } from '../contacts/contacts.ts';

type AboutChat = Pick<ChatRow, 'chat_id' | 'chat_name'>;

export interface NamedChat<C extends AboutChat = ChatRow> {
  readonly row: C;
  readonly person: ChatPerson | null;
  readonly names: readonly string[];
}

export interface ChatPerson {
  readonly phone: string | null;
  readonly lid: string | null;
  readonly username: string | null;
}

export interface ChatNameDeps {
  readonly contacts: Pick<Contacts, 'byPhones'>;
  readonly identities: Pick<Identities, 'addressesOf'>;
  readonly groups: Pick<Groups<object>, 'named'>;
  readonly channels: Titles;
  readonly savedNames: Pick<SavedNames, 'named'>;
}

export interface ChatNames {
  nameAll<C extends AboutChat>(tenantId: string, rows: readonly C[]): Promise<readonly NamedChat<C>[]>;
}

interface Titles {
  named(tenantId: string, channelIds: readonly string[]): Promise<readonly { readonly channel_id: string; readonly name: string }[]>;
}

export function createChatNames({ contacts, identities, groups, channels, savedNames }: ChatNameDeps): ChatNames {
  return {
    async nameAll(tenantId, rows) {
      const phones = rows.flatMap(({ chat_id }) => subjectOf(chat_id) ?? []);
      const known = new Map((await contacts.byPhones(tenantId, [...new Set(phones)])).map((contact) => [contact.phone, contact]));
      const others = await identities.addressesOf(tenantId, [...new Set(phones.filter((phone) => !isLid(phone)))]);
      const addressesOf = (subject: string): readonly string[] => [
        isLid(subject) ? subject : userJid(subject),
        ...(others.get(subject) ?? []),
      ];
      const saved = await savedNames.named(tenantId, [...new Set(phones.flatMap(addressesOf))]);
      const groupIds = rows.flatMap(({ chat_id }) => (chat_id.endsWith('@g.us') ? [chat_id] : []));
      const channelIds = rows.map(({ chat_id }) => chat_id).filter(isChannel);
      const titles = new Map([
        ...(await groups.named(tenantId, [...new Set(groupIds)])).map(({ group_id, subject }) => [group_id, subject] as const),
        ...(await channels.named(tenantId, [...new Set(channelIds)])).map(({ channel_id, name }) => [channel_id, name] as const),
      ]);
      return rows.map((row) => {
        const subject = subjectOf(row.chat_id);
        if (subject === null) return titled(row, titles.get(row.chat_id));
        const contact = known.get(subject);
        const { phone, lid } = personIn(subject);
        const person = { phone, lid: lid ?? others.get(subject)?.find(isLid) ?? null, username: contact?.username ?? null };
        const savedName = addressesOf(subject).flatMap((address) => saved.get(address) ?? [])[0];
        return { ...named(row, contact, savedName), person };
      });
    },
  };
}

function titled<C extends AboutChat>(row: C, title: string | undefined): NamedChat<C> {
  return title ? { row: { ...row, chat_name: title }, person: null, names: [title] } : { ...named(row, undefined), person: null };
}

function named<C extends AboutChat>(row: C, contact: ContactRow | undefined, saved?: string): Omit<NamedChat<C>, 'person'> {
  const here = contact?.name || null;
  // The name of a contact that a message created is the person's own, not one that a user chose.
  const isChosen = contact?.made_by !== BY_A_MESSAGE;
  const chat_name = (isChosen && here) || saved || row.chat_name || here;
  return { row: { ...row, chat_name }, names: [here, saved, row.chat_name, contact?.username].flatMap((name) => name || []) };
}
