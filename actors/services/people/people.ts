import type { Contacts } from '../../../store/contacts/contacts.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { readSliced } from '../../../store/paging/read-sliced.ts';
import { isLid } from '../../network/jid.ts';
import type { Person } from '../../network/person.ts';

export interface People {
  /** Adds names to people: the contact's name or, without one, the name that the person shows. */
  describe<P extends Person>(tenantId: string, people: readonly P[]): Promise<readonly P[]>;
  whole<P extends Person>(tenantId: string, people: readonly P[]): Promise<readonly P[]>;
}

export interface PeopleDeps {
  readonly identities: Pick<Identities, 'phonesOf' | 'addressesOf'>;
  readonly contacts: Pick<Contacts, 'byPhones'>;
}

export function createPeople({ identities, contacts }: PeopleDeps): People {
  async function describe<P extends Person>(tenantId: string, people: readonly P[]): Promise<readonly P[]> {
    const hidden = people.flatMap(({ phone, lid }) => (phone === null && lid !== null ? [lid] : []));
    const numbers = await identities.phonesOf(tenantId, [...new Set(hidden)]);
    const known = people.map((one) => ({ ...one, phone: one.phone ?? numbers.get(one.lid ?? '') ?? null }));
    const subjects = [...new Set(known.flatMap(({ phone, lid }) => phone ?? lid ?? []))];
    const rows = await readSliced(tenantId, subjects, (some) => contacts.byPhones(tenantId, some));
    const found = new Map(rows.map((row) => [row.phone, row]));
    return known.map((one) => {
      const { name, username } = found.get(one.phone ?? one.lid ?? '') ?? {};
      return { ...one, username: one.username ?? username ?? null, name: name || one.name };
    });
  }

  return {
    describe,

    async whole(tenantId, people) {
      const described = await describe(tenantId, people);
      const phones = [...new Set(described.flatMap(({ phone, lid }) => (phone !== null && lid === null ? [phone] : [])))];
      const others = await identities.addressesOf(tenantId, phones);
      return described.map((one) => ({ ...one, lid: one.lid ?? others.get(one.phone ?? '')?.find(isLid) ?? null }));
    },
  };
}
