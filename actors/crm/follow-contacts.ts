import type { Contacts } from '../../store/contacts.ts';
import type { MessageRow } from '../../store/messages.ts';
import type { FollowUp } from '../follow-ups.ts';
import { phoneOf } from '../network/jid.ts';
import type { People } from '../people/people.ts';
import { acquaintance } from './contacts.ts';

/** Whose messages these are, by the number; what is newest of them, and of those that they wrote. */
interface Heard {
  readonly tenantId: string;
  readonly phone: string;
  readonly at: number;
  readonly wrote: MessageRow | undefined;
}

interface ContactPorts {
  readonly contacts: Pick<Contacts, 'byPhones' | 'addMany' | 'heardFrom'>;
  readonly people: Pick<People, 'canonical'>;
}

/**
 * Whoever writes to a device is a contact from then on, and each contact knows when its newest message was, either way. A number is added only
 * where it is not there, and the time only moves forward, so that repeats and any order lead to the same.
 */
export function keepContacts({ contacts, people }: ContactPorts, now: () => number): FollowUp {
  async function heard(own: readonly MessageRow[]): Promise<Heard[]> {
    const { tenant_id: tenantId, chat_id } = own[0]!;
    const phone = phoneOf(await people.canonical(tenantId, chat_id));
    if (phone === null) return [];
    return [{ tenantId, phone, at: Math.max(...own.map(({ created_at }) => created_at)), wrote: own.findLast(isWritten) }];
  }

  async function meet(writers: readonly Heard[]): Promise<void> {
    const known = new Set<string>();
    for (const [tenantId, own] of Map.groupBy(writers, ({ tenantId }) => tenantId)) {
      const phones = own.map(({ phone }) => phone);
      for (const { phone } of await contacts.byPhones(tenantId, phones)) known.add(`${tenantId} ${phone}`);
    }
    const strangers = writers.filter(({ tenantId, phone }) => !known.has(`${tenantId} ${phone}`));
    await contacts.addMany(strangers.map(({ tenantId, phone, wrote }) => acquaintance(tenantId, phone, wrote?.sender_name ?? null, now())));
  }

  return {
    name: 'contacts',
    async run(rows) {
      const byChat = Map.groupBy(rows.filter(wasSaid), ({ tenant_id, chat_id }) => `${tenant_id} ${chat_id}`);
      const all = (await Promise.all([...byChat.values()].map(heard))).flat();
      await meet(all.filter(({ wrote }) => wrote));
      await Promise.all(all.map(({ tenantId, phone, at }) => contacts.heardFrom(tenantId, phone, at)));
    },
  };
}

/** A reaction introduces nobody. */
const isWritten = ({ direction, message_type }: MessageRow): boolean => direction === 'inbound' && message_type !== 'reaction';

/** What never left is no part of the conversation. */
const wasSaid = ({ direction, sent_at, delivered_at, read_at }: MessageRow): boolean =>
  direction === 'inbound' || sent_at !== null || delivered_at !== null || read_at !== null;
