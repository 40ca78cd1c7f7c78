import type { Identities } from '../../../store/identities/identities.ts';
import { twinsOf } from '../../domain/numbers/twins.ts';
import { isLid } from '../../network/jid.ts';
import { addressOf, subjectOf } from '../../network/subject.ts';

/**
 * The one list of all forms of a person: whoever looks for what is stored of somebody asks here, since a record that another node stored a moment ago may
 * still lie under a former number or the hidden address.
 */

/** A person with more than one number or address. */
export interface PersonForms {
  /** The number that stands for them; the hidden address, while none is known. */
  readonly phone: string;
  /** All their numbers and addresses, and the numbers that they would have in another form of their country's plan. */
  readonly all: readonly string[];
}

/** By the number or address that was asked about. Absent: that has no other form. */
export type Forms = ReadonlyMap<string, PersonForms>;

/** Of these people, each by a number (digits) or a hidden address. */
export type FormsOf = (tenantId: string, subjects: readonly string[]) => Promise<Forms>;

/** All forms of the person whom `subject` names. */
export const allForms = (forms: Forms, subject: string): readonly string[] => forms.get(subject)?.all ?? [subject];

/** All numbers of people, asked of the store in two questions; of countries with two forms of one number in a third. */
export function createFormsOf({ phonesOf, addressesOf, apartOf }: Pick<Identities, 'phonesOf' | 'addressesOf' | 'apartOf'>): FormsOf {
  return async (tenantId, phones) => {
    if (phones.length === 0) return new Map();
    const known = await phonesOf(tenantId, phones.map(addressOf));
    const standing = (phone: string): string => known.get(addressOf(phone)) ?? phone;
    const others = await addressesOf(tenantId, [...new Set(phones.map(standing))]);
    const planned = [...new Set(phones.map(standing))].filter((phone) => !isLid(phone) && twinsOf(phone).length > 0);
    const apart = planned.length > 0 ? await apartOf(tenantId, planned.map(addressOf), planned) : new Map<string, readonly string[]>();
    const isSplit = (phone: string, other: string): boolean =>
      Boolean(apart.get(phone)?.includes(addressOf(other)) || apart.get(addressOf(phone))?.includes(other));
    const formsOf = (phone: string): PersonForms => {
      const own = [standing(phone), phone, ...(others.get(standing(phone)) ?? []).flatMap((address) => subjectOf(address) ?? [])];
      const twins = own
        .filter((one) => !isLid(one))
        .flatMap(twinsOf)
        .filter((twin) => !isSplit(standing(phone), twin));
      return { phone: standing(phone), all: [...new Set([...own, ...twins])] };
    };
    const all = phones.map((phone) => [phone, formsOf(phone)] as const);
    return new Map(all.filter(([, forms]) => forms.all.length > 1));
  };
}
