import type { Identities } from '../../../store/identities/identities.ts';
import { twinsOf } from '../../domain/numbers/twins.ts';
import { isLid } from '../../network/jid.ts';
import { addressOf, subjectOf } from '../../network/subject.ts';

/**
 * Finds all forms of a person: numbers, hidden addresses, and the other forms that a numbering plan
 * gives a number. Lookups of personal data need this, because another node may have just stored a
 * record under a former number or a hidden address.
 */

export interface PersonForms {
  readonly phone: string;
  readonly all: readonly string[];
}

/** Forms by the number or address that was looked up. Leaves out people who have no other form. */
export type Forms = ReadonlyMap<string, PersonForms>;

export type FormsOf = (tenantId: string, subjects: readonly string[]) => Promise<Forms>;

export const allForms = (forms: Forms, subject: string): readonly string[] => forms.get(subject)?.all ?? [subject];

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
