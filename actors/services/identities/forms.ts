import type { Identities } from '../../../store/identities/identities.ts';
import { twinsOf } from '../../domain/numbers/twins.ts';
import { phoneOf, userJid } from '../../network/jid.ts';

/** A person with more than one number. */
export interface PersonForms {
  /** Digits of the number that stands for them. */
  readonly phone: string;
  /** Digits of all their numbers, and of those that they would have in another form of their country's plan. */
  readonly all: readonly string[];
}

/** By the number that was asked about. Absent: that has no other form. */
export type Forms = ReadonlyMap<string, PersonForms>;

export type FormsOf = (tenantId: string, phones: readonly string[]) => Promise<Forms>;

/** All numbers of people, asked of the store in two questions. */
export function createFormsOf({ phonesOf, addressesOf }: Pick<Identities, 'phonesOf' | 'addressesOf'>): FormsOf {
  return async (tenantId, phones) => {
    if (phones.length === 0) return new Map();
    const known = await phonesOf(tenantId, phones.map(userJid));
    const standing = (phone: string): string => known.get(userJid(phone)) ?? phone;
    const others = await addressesOf(tenantId, [...new Set(phones.map(standing))]);
    const formsOf = (phone: string): PersonForms => {
      const own = [standing(phone), phone, ...(others.get(standing(phone)) ?? []).flatMap((address) => phoneOf(address) ?? [])];
      return { phone: standing(phone), all: [...new Set([...own, ...own.flatMap(twinsOf)])] };
    };
    const all = phones.map((phone) => [phone, formsOf(phone)] as const);
    return new Map(all.filter(([, forms]) => forms.all.length > 1));
  };
}
