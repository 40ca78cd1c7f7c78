import { groupsOf, type NonEmpty } from '../../../runtime/groups.ts';
import type { Contacts } from '../../../store/contacts/contacts.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { phoneOf } from '../../network/jid.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import { acquaintance } from './contacts.ts';

/** The senders of these messages by number, with their newest message. */
interface ContactActivity {
  readonly tenantId: string;
  readonly phone: string;
  readonly at: number;
  readonly wrote: MessageRow | undefined;
}

interface ContactRowDeps {
  readonly contacts: Pick<Contacts, 'byPhones' | 'addMany' | 'receivedFrom'>;
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

/**
 * Anyone who writes to a device becomes a contact, and each contact knows when its newest message was, either way. A number is added only
 * where it is not there, and the time only moves forward, so that repeats and any order lead to the same.
 */
export function updateContacts({ contacts, people }: ContactRowDeps, now: () => number): OutboxHandler {
  async function received(own: NonEmpty<MessageRow>): Promise<ContactActivity[]> {
    const { tenant_id: tenantId, chat_id } = own[0];
    const phone = phoneOf(await people.resolve(tenantId, chat_id));
    if (phone === null) return [];
    return [{ tenantId, phone, at: Math.max(...own.map(({ created_at }) => created_at)), wrote: own.findLast(isWritten) }];
  }

  async function meet(writers: readonly ContactActivity[]): Promise<void> {
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
      const byChat = groupsOf(rows.filter(wasSaid), ({ tenant_id, chat_id }) => `${tenant_id} ${chat_id}`);
      const all = (await Promise.all([...byChat.values()].map(received))).flat();
      await meet(all.filter(({ wrote }) => wrote));
      await Promise.all(all.map(({ tenantId, phone, at }) => contacts.receivedFrom(tenantId, phone, at)));
    },
  };
}

/** A reaction creates no contact. */
const isWritten = ({ direction, message_type }: MessageRow): boolean => direction === 'inbound' && message_type !== 'reaction';

/** A message that never left is not part of the conversation. */
const wasSaid = ({ direction, sent_at, delivered_at, read_at }: MessageRow): boolean =>
  direction === 'inbound' || sent_at !== null || delivered_at !== null || read_at !== null;
