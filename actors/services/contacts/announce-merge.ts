import type { ContactMerges } from '../../../store/contacts/contact-merges.ts';
import type { ContactRow } from '../../../store/contacts/contacts.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { isLid, phoneOf, userJid } from '../../network/jid.ts';
import type { EventLog } from '../events/event-log.ts';

export interface AnnounceMergeDeps {
  readonly merges: Pick<ContactMerges, 'note'>;
  readonly identities: Pick<Identities, 'addressesOf'>;
  readonly eventLog: Pick<EventLog, 'record'>;
}

/** Two contacts are stored as one: notes it under the former id, and records `contact.merged`, once each. */
export async function announceMerge(deps: AnnounceMergeDeps, from: ContactRow, into: ContactRow, now: number): Promise<void> {
  const { tenant_id, _id, phone } = into;
  const others = (await deps.identities.addressesOf(tenant_id, [phone])).get(phone) ?? [];
  const phones = [...new Set([phone, from.phone, ...others.flatMap((address) => phoneOf(address) ?? [])])];
  const data = {
    contact_id: from._id,
    into: _id,
    numbers: { phones, lids: others.filter(isLid) },
    chat_ids: [userJid(phone), userJid(from.phone)],
  };
  await deps.merges.note(tenant_id, from, _id, now);
  const row = `contact ${from._id} merged`;
  await deps.eventLog.record(tenant_id, [{ session_id: null, type: 'contact.merged', row, occurred_at: now, data }], { again: true });
}
