import { groupsOf, type NonEmpty } from '../../../runtime/groups.ts';
import type { ContactRow, Contacts } from '../../../store/contacts/contacts.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { isLid, phoneOf } from '../../network/jid.ts';
import { subjectOf } from '../../network/subject.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import { acquaintance } from './contacts.ts';

interface ContactActivity {
  readonly tenantId: string;
  readonly subject: string;
  readonly at: number;
  readonly wrote: MessageRow | undefined;
}

interface ContactRowDeps {
  readonly contacts: Pick<Contacts, 'byPhones' | 'byUsernames' | 'addMany' | 'change' | 'receivedFrom'>;
  readonly people: Pick<IdentityResolver, 'resolve' | 'phonesOf'>;
  join(tenantId: string, lid: string, phone: string): Promise<void>;
}

type Write = () => Promise<unknown>;

/** Repeated or reordered calls are harmless: missing contacts are added, and times never move back. */
export function updateContacts({ contacts, people, join }: ContactRowDeps, now: () => number): OutboxHandler {
  async function received(own: NonEmpty<MessageRow>): Promise<ContactActivity[]> {
    const { tenant_id: tenantId, chat_id } = own[0];
    const subject = subjectOf(await people.resolve(tenantId, chat_id));
    if (subject === null) return [];
    return [{ tenantId, subject, at: Math.max(...own.map(({ created_at }) => created_at)), wrote: own.findLast(isWritten) }];
  }

  async function remembered(tenantId: string, own: readonly ContactActivity[]) {
    const subjects = own.map(({ subject }) => subject);
    const there = new Map((await contacts.byPhones(tenantId, subjects)).map((contact) => [contact.phone, contact]));
    const strangers = own.filter(({ subject, wrote }) => wrote && !there.has(subject));
    const added = strangers.map(({ subject, wrote }) =>
      acquaintance(tenantId, subject, { name: wrote?.sender_name ?? null, username: wrote?.sender_username ?? null }, now()),
    );
    const isLater = ({ subject, at, wrote }: ContactActivity): boolean => {
      const contact = there.get(subject);
      return contact ? (contact.last_message_at ?? Number.NEGATIVE_INFINITY) < at : wrote !== undefined;
    };
    const heard = own.filter(isLater).map(
      ({ subject, at }): Write =>
        () =>
          contacts.receivedFrom(tenantId, subject, at),
    );
    const named = (await Promise.all(own.map((one) => renamed(tenantId, there.get(one.subject), one)))).flat();
    return { tenantId, added, writes: added.length > 0 ? [() => contacts.addMany(added), ...named, ...heard] : [...named, ...heard] };
  }

  /** Removes the person's current username from other contacts. */
  async function renamed(tenantId: string, contact: ContactRow | undefined, { subject, wrote }: ContactActivity): Promise<Write[]> {
    const username = wrote?.sender_username;
    if (!username || (contact?.username && folded(contact.username) === folded(username))) return [];
    const former = (await contacts.byUsernames(tenantId, [username])).filter(({ phone }) => phone !== subject);
    const changes = former.map((row) => [row, null] as const);
    const own = contact ? [[contact, username] as const] : [];
    return [...changes, ...own].map(
      ([row, name]): Write =>
        () =>
          contacts.change(row, { username: name }),
    );
  }

  /** Merges contacts whose number is now known. The merge itself handles numbers that are learnt later. */
  async function settle(tenantId: string, lids: readonly string[]): Promise<void> {
    for (const [lid, phone] of await people.phonesOf(tenantId, lids)) await join(tenantId, lid, phone);
  }

  return {
    name: 'contacts',
    async plan(rows) {
      const byChat = groupsOf(rows.filter(isNews), ({ tenant_id, chat_id }) => `${tenant_id} ${chat_id}`);
      const all = (await Promise.all([...byChat.values()].map(received))).flat();
      const byTenant = [...Map.groupBy(all, ({ tenantId }) => tenantId)];
      const planned = await Promise.all(byTenant.map(([tenantId, own]) => remembered(tenantId, own)));
      const writes = planned.flatMap((one) => one.writes);
      const hidden = planned.map(({ tenantId, added }) => ({ tenantId, lids: added.map(({ phone }) => phone).filter(isLid) }));
      if (hidden.some(({ lids }) => lids.length > 0))
        return {
          async alone() {
            for (const write of writes) await write();
            for (const { tenantId, lids } of hidden) await settle(tenantId, lids);
          },
        };
      return writes.length > 0 ? { writes } : null;
    },
  };
}

const isWritten = ({ direction, message_type }: MessageRow): boolean => direction === 'inbound' && message_type !== 'reaction';

/** Whether a message may change a contact. If the contact's number is known, receipts do not. */
const isNews = ({ direction, chat_id, sent_at, delivered_at, read_at, processed }: MessageRow): boolean =>
  direction === 'inbound' || ((sent_at ?? delivered_at ?? read_at) !== null && !(processed?.includes('sent') && phoneOf(chat_id) !== null));
