import type { ContactMerges } from '../../../store/contacts/contact-merges.ts';
import type { ContactRow, Contacts } from '../../../store/contacts/contacts.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import type { Holds } from '../../../store/privacy/holds.ts';
import { twinsOf } from '../../domain/numbers/twins.ts';
import { refusal } from '../../domain/refusals.ts';
import { phoneOf, userJid } from '../../network/jid.ts';
import type { ConsentService } from '../consent/consent-service.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { blankContact } from './contacts.ts';

export interface SplitDeps {
  readonly contacts: Pick<Contacts, 'add' | 'byPhones'>;
  readonly merges: Pick<ContactMerges, 'former' | 'note'>;
  readonly identities: Pick<Identities, 'addressesOf' | 'apartOf'>;
  readonly people: Pick<IdentityResolver, 'split'>;
  readonly consentService: Pick<ConsentService, 'share'>;
  readonly holds: Pick<Holds, 'longest' | 'prolong'>;
  hashOf(tenantId: string, phone: string): string;
}

/**
 * Undoes a merge of two people. An opt-out or legal hold of either is applied to both first.
 * Repeatable. Messages stay in their chat, because their authors are unknown.
 */
export async function splitContact(deps: SplitDeps, contact: ContactRow, numbers: readonly string[], now: number): Promise<ContactRow> {
  const { tenant_id: tenantId, phone: from } = contact;
  const { to, leaving, all } = await partsOf(deps, contact, numbers);
  await keepHolds(deps, tenantId, [from, to], all, now);
  await deps.consentService.share(tenantId, from, to);
  await deps.people.split(tenantId, leaving.map(userJid), { from, to });
  const former = await deps.merges.former(tenantId, numbers);
  const blank = blankContact(tenantId, to, now);
  const { _id, country, created_at, updated_at, rev } = blank;
  const made = { ...blank, ...former, _id, phone: to, country, created_at, updated_at, rev };
  const isNew = await deps.contacts.add(made);
  const [found = made] = isNew ? [] : await deps.contacts.byPhones(tenantId, [to]);
  if (former) await deps.merges.note(tenantId, former, found._id, now);
  return found;
}

interface Parts {
  readonly to: string;
  /** The numbers that the other person gets, in all their forms. */
  readonly leaving: readonly string[];
  readonly all: readonly string[];
}

/** Fails with VALIDATION_FAILED for the contact's canonical number or another contact's number. */
async function partsOf({ identities }: SplitDeps, { tenant_id, phone }: ContactRow, numbers: readonly string[]): Promise<Parts> {
  const [others, apart] = await Promise.all([identities.addressesOf(tenant_id, [phone]), identities.apartOf(tenant_id, [], [phone])]);
  const numbersIn = (addresses: readonly string[] = []): readonly string[] => addresses.flatMap((address) => phoneOf(address) ?? []);
  const joined = [...new Set([...numbersIn(others.get(phone)), ...twinsOf(phone)])];
  // An earlier call may already have split off some of the numbers, so they are accepted, too.
  const own = new Set([...joined, ...numbersIn(apart.get(phone))]);
  const [to] = numbers;
  const strange = numbers.find((one) => one === phone || !own.has(one));
  if (to === undefined || strange !== undefined)
    throw refusal('VALIDATION_FAILED', { field: 'numbers', reason: strange === phone ? STANDING : notTheirs(strange ?? '') });
  const forms = new Set(numbers.flatMap((one) => [one, ...twinsOf(one).filter((twin) => joined.includes(twin))]));
  return { to, leaving: [...forms], all: [phone, ...own] };
}

async function keepHolds(
  { holds, hashOf }: SplitDeps,
  tenantId: string,
  both: readonly string[],
  all: readonly string[],
  now: number,
): Promise<void> {
  const hold = await holds.longest(
    tenantId,
    all.map((one) => hashOf(tenantId, one)),
    now,
  );
  if (hold) for (const one of both) await holds.prolong(tenantId, hashOf(tenantId, one), hold, now);
}

const STANDING = {
  en: 'numbers: the main number stays with the contact; list only the others',
  id: 'numbers: nomor utama tetap pada kontak; sebutkan nomor lainnya saja',
};
const notTheirs = (digits: string) => ({
  en: `numbers: +${digits} is not a number of this contact`,
  id: `numbers: +${digits} bukan nomor kontak ini`,
});
