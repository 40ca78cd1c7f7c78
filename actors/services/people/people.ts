import type { Contacts } from '../../../store/contacts/contacts.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import type { Person } from '../../network/person.ts';

/** The one way to show people of the network: with their number where it is known, and the name that they have here. */
export interface People {
  /** These people of one tenant, in their order. The name is the contact's here, else the one that they show. Two reads for each 1,000. */
  describe<P extends Person>(tenantId: string, people: readonly P[]): Promise<readonly P[]>;
}

export interface PeopleDeps {
  readonly identities: Pick<Identities, 'phonesOf'>;
  readonly contacts: Pick<Contacts, 'byPhones'>;
}

export function createPeople({ identities, contacts }: PeopleDeps): People {
  return {
    async describe(tenantId, people) {
      const hidden = people.flatMap(({ phone, lid }) => (phone === null && lid !== null ? [lid] : []));
      const numbers = await identities.phonesOf(tenantId, [...new Set(hidden)]);
      const known = people.map((one) => ({ ...one, phone: one.phone ?? numbers.get(one.lid ?? '') ?? null }));
      const phones = [...new Set(known.flatMap(({ phone }) => phone ?? []))];
      const rows = await readSliced(tenantId, phones, (some) => contacts.byPhones(tenantId, some));
      const names = new Map(rows.map(({ phone, name }) => [phone, name]));
      return known.map((one) => ({ ...one, name: names.get(one.phone ?? '') || one.name }));
    },
  };
}
