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

/** All numbers of people, asked of the store in two questions; of countries with two forms of one number in a third. */
export function createFormsOf({ phonesOf, addressesOf, apartOf }: Pick<Identities, 'phonesOf' | 'addressesOf' | 'apartOf'>): FormsOf {
  return async (tenantId, phones) => {
    if (phones.length === 0) return new Map();
    const known = await phonesOf(tenantId, phones.map(userJid));
    const standing = (phone: string): string => known.get(userJid(phone)) ?? phone;
    const others = await addressesOf(tenantId, [...new Set(phones.map(standing))]);
    const planned = [...new Set(phones.map(standing))].filter((phone) => twinsOf(phone).length > 0);
    const apart = planned.length > 0 ? await apartOf(tenantId, planned.map(userJid), planned) : new Map<string, readonly string[]>();
    const isSplit = (phone: string, other: string): boolean =>
      Boolean(apart.get(phone)?.includes(userJid(other)) || apart.get(userJid(phone))?.includes(other));
    const formsOf = (phone: string): PersonForms => {
      const own = [standing(phone), phone, ...(others.get(standing(phone)) ?? []).flatMap((address) => phoneOf(address) ?? [])];
      const twins = own.flatMap(twinsOf).filter((twin) => !isSplit(standing(phone), twin));
      return { phone: standing(phone), all: [...new Set([...own, ...twins])] };
    };
    const all = phones.map((phone) => [phone, formsOf(phone)] as const);
    return new Map(all.filter(([, forms]) => forms.all.length > 1));
  };
}
