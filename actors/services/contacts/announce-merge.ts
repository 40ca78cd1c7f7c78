import type { ContactMerges } from '../../../store/contacts/contact-merges.ts';
import type { ContactRow } from '../../../store/contacts/contacts.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { isLid, phoneOf } from '../../network/jid.ts';
import { addressOf, personIn } from '../../network/subject.ts';
import type { EventLog } from '../events/event-log.ts';

export interface AnnounceMergeDeps {
  readonly merges: Pick<ContactMerges, 'note'>;
  readonly identities: Pick<Identities, 'addressesOf'>;
  readonly eventLog: Pick<EventLog, 'record'>;
}

export async function announceMerge(deps: AnnounceMergeDeps, from: ContactRow, into: ContactRow, now: number): Promise<void> {
  const { tenant_id, _id, phone } = into;
  const others = (await deps.identities.addressesOf(tenant_id, [phone])).get(phone) ?? [];
  const own = [phone, from.phone].map(personIn);
  const phones = [...new Set([...own.map((one) => one.phone), ...others.map(phoneOf)].flatMap((one) => one ?? []))];
  const lids = [...new Set([...own.flatMap(({ lid }) => lid ?? []), ...others.filter(isLid)])];
  const data = {
    contact_id: from._id,
    into: _id,
    numbers: { phones, lids },
    chat_ids: [addressOf(phone), addressOf(from.phone)],
  };
  await deps.merges.note(tenant_id, from, _id, now);
  const row = `contact ${from._id} merged`;
  await deps.eventLog.record(tenant_id, [{ session_id: null, type: 'contact.merged', row, occurred_at: now, data }], { again: true });
}
