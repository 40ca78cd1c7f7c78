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

  async function remembered(tenantId: string, own: readonly ContactActivity[]): Promise<readonly (() => Promise<unknown>)[]> {
    const phones = own.map(({ phone }) => phone);
    const there = new Map((await contacts.byPhones(tenantId, phones)).map((contact) => [contact.phone, contact]));
    const strangers = own.filter(({ phone, wrote }) => wrote && !there.has(phone));
    const added = strangers.map(({ phone, wrote }) => acquaintance(tenantId, phone, wrote?.sender_name ?? null, now()));
    const isLater = ({ phone, at, wrote }: ContactActivity): boolean => {
      const contact = there.get(phone);
      return contact ? (contact.last_message_at ?? Number.NEGATIVE_INFINITY) < at : wrote !== undefined;
    };
    const heard = own.filter(isLater).map(
      ({ phone, at }) =>
        () =>
          contacts.receivedFrom(tenantId, phone, at),
    );
    return added.length > 0 ? [() => contacts.addMany(added), ...heard] : heard;
  }

  return {
    name: 'contacts',
    async plan(rows) {
      const byChat = groupsOf(rows.filter(isNews), ({ tenant_id, chat_id }) => `${tenant_id} ${chat_id}`);
      const all = (await Promise.all([...byChat.values()].map(received))).flat();
      const byTenant = [...Map.groupBy(all, ({ tenantId }) => tenantId)];
      const writes = (await Promise.all(byTenant.map(([tenantId, own]) => remembered(tenantId, own)))).flat();
      return writes.length > 0 ? { writes } : null;
    },
  };
}

/** A reaction creates no contact. */
const isWritten = ({ direction, message_type }: MessageRow): boolean => direction === 'inbound' && message_type !== 'reaction';

/** A message that never left is not part of the conversation; what becomes of one that left is no news of its person, once it is known who that is. */
const isNews = ({ direction, chat_id, sent_at, delivered_at, read_at, processed }: MessageRow): boolean =>
  direction === 'inbound' || ((sent_at ?? delivered_at ?? read_at) !== null && !(processed?.includes('sent') && phoneOf(chat_id) !== null));
