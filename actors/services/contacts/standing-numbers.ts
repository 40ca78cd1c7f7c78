import type { Contacts } from '../../../store/contacts/contacts.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import { twinsOf } from '../../domain/numbers/twins.ts';
import { isLid } from '../../network/jid.ts';
import { addressOf, subjectOf } from '../../network/subject.ts';

/**
 * For numbers with several forms, returns the form under which there is a contact, or else the form
 * that comes first in `phones`. Numbers that are already in that form are left out.
 */
export type StandingNumbers = (tenantId: string, phones: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface StandingDeps {
  readonly identities: Pick<Identities, 'phonesOf'>;
  readonly contacts: Pick<Contacts, 'byPhones'>;
}

export function createStandingNumbers({ identities, contacts }: StandingDeps): StandingNumbers {
  return async (tenantId, phones) => {
    const known = await identities.phonesOf(tenantId, phones.map(addressOf));
    const standing = new Map([...known].map(([address, phone]) => [subjectOf(address) ?? '', phone]));
    const open = phones.filter((phone) => !standing.has(phone) && !isLid(phone) && twinsOf(phone).length > 0);
    const forms = [...new Set(open.flatMap((phone) => [phone, ...twinsOf(phone)]))];
    const rows = await readSliced(tenantId, forms, (some) => contacts.byPhones(tenantId, some));
    const taken = new Set(rows.map(({ phone }) => phone));
    for (const phone of open) {
      const form = taken.has(phone) ? phone : (twinsOf(phone).find((twin) => taken.has(twin)) ?? phone);
      taken.add(form);
      if (form !== phone) standing.set(phone, form);
    }
    return standing;
  };
}
