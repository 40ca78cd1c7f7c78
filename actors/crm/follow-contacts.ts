import type { Contacts } from '../../store/contacts.ts';
import type { MessageRow } from '../../store/messages.ts';
import type { FollowUp } from '../follow-ups.ts';
import { phoneOf } from '../network/jid.ts';
import type { People } from '../people/people.ts';

/** Keeps when a contact's newest message was, either way: it only ever moves forward, so that repeats and any order lead to the same. */
export function keepContacts(contacts: Pick<Contacts, 'heardFrom'>, people: Pick<People, 'canonical'>): FollowUp {
  async function note({ tenant_id, chat_id }: MessageRow, at: number): Promise<void> {
    const phone = phoneOf(await people.canonical(tenant_id, chat_id));
    if (phone !== null) await contacts.heardFrom(tenant_id, phone, at);
  }

  return {
    name: 'contacts',
    async run(rows) {
      const byPerson = Map.groupBy(rows.filter(wasSaid), ({ tenant_id, chat_id }) => `${tenant_id} ${chat_id}`);
      await Promise.all([...byPerson.values()].map((own) => note(own[0]!, Math.max(...own.map(({ created_at }) => created_at)))));
    },
  };
}

/** What never left is no part of the conversation. */
const wasSaid = ({ direction, sent_at, delivered_at, read_at }: MessageRow): boolean =>
  direction === 'inbound' || sent_at !== null || delivered_at !== null || read_at !== null;
