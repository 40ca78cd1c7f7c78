import { momentOfId, newId } from '../../runtime/ids.ts';
import type { ContactPatch, ContactRow, Contacts } from '../../store/contacts.ts';
import type { WordLists } from '../../store/words.ts';
import { factsOf, resolveNumber } from '../phone-numbers.ts';
import { refusal } from '../refusals.ts';
import type { TokenValues } from '../tokens.ts';
import { attributesFor, type Scribe, tagIdsFor, type Vocabulary, vocabularyOf } from './vocabulary.ts';

export interface CrmPorts {
  readonly contacts: Contacts;
  readonly words: WordLists;
}

export const VARS = ['var1', 'var2', 'var3', 'var4', 'var5'] as const;

/** What callers say of a contact; what is not named stays. */
export interface ContactFields extends Partial<Record<(typeof VARS)[number], string | null>> {
  readonly phone?: string;
  readonly name?: string | null;
  readonly group_id?: string | null;
  /** All of them. */
  readonly tags?: readonly string[];
  /** By key; null removes one, those that are not named stay. */
  readonly attrs?: Readonly<Record<string, string | null>>;
}

/** spec.md "Contact", with the country of its number and its newest message. */
export interface Contact extends Pick<ContactRow, 'phone' | 'country' | 'name' | (typeof VARS)[number] | 'group_id' | 'last_message_at'> {
  readonly id: string;
  readonly tags: readonly string[];
  readonly attrs: Readonly<Record<string, string>>;
  readonly created_at: number;
  readonly updated_at: number;
}

export const LONGEST_NAME = 200;
export const MOST_TAGS = 50;
export const MOST_ATTRIBUTES = 50;

/** A contact as everybody sees it: names in place of ids, without what was removed. */
export function toContact(row: ContactRow, { groups, tags, attributes }: Vocabulary): Contact {
  const { _id: id, phone, country, name, var1, var2, var3, var4, var5, last_message_at, created_at, updated_at } = row;
  const named = Object.entries(row.attrs).flatMap(([attributeId, value]) => {
    const attribute = attributes.byId(attributeId);
    return attribute ? [[attribute.key, value] as const] : [];
  });
  return {
    ...{ id, phone, country, name, var1, var2, var3, var4, var5 },
    group_id: row.group_id !== null && groups.byId(row.group_id) ? row.group_id : null,
    tags: row.tag_ids.flatMap((tagId) => tags.byId(tagId)?.name ?? []),
    attrs: Object.fromEntries(named),
    ...{ last_message_at, created_at, updated_at },
  };
}

/** What texts to a contact are filled with: the number with its `+`, as people read it. */
export function tokensOf(row: ContactRow, vocabulary: Vocabulary): TokenValues {
  return { ...toContact(row, vocabulary), phone: `+${row.phone}` };
}

/**
 * Makes a contact, or completes one that nobody made but who wrote. Refuses INVALID_NUMBER, CONFLICT when there is one of this phone,
 * VALIDATION_FAILED for a group that does not exist.
 */
export async function createContact(
  { contacts }: CrmPorts,
  scribe: Scribe,
  { phone, ...fields }: ContactFields & { readonly phone: string },
  callingCode: string,
): Promise<ContactRow> {
  const digits = resolveNumber(phone, callingCode);
  const patch = await patchFrom(scribe, null, fields);
  const row = { ...blankContact(scribe.tenantId, digits, scribe.now), ...patch };
  return (await contacts.add(row)) ? row : completed(contacts, scribe, digits, patch);
}

async function completed(contacts: Contacts, scribe: Scribe, phone: string, patch: ContactPatch): Promise<ContactRow> {
  const [found] = await contacts.byPhones(scribe.tenantId, [phone]);
  const isOurs = found?.made_by === BY_A_MESSAGE;
  const changed = isOurs && (await contacts.change(found, { ...patch, made_by: null, updated_at: scribe.now }));
  if (!changed || changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
  return changed;
}

const BY_A_MESSAGE = 'message';

/** The contact of somebody who wrote, under the name that they go by on the network. */
export function acquaintance(tenantId: string, phone: string, name: string | null, now: number): ContactRow {
  const shown = name?.trim().slice(0, LONGEST_NAME).toWellFormed() || null;
  return { ...blankContact(tenantId, phone, now), name: shown, made_by: BY_A_MESSAGE };
}

const TRIES = 10;

/** Changes what is named. Refuses NOT_FOUND and as `createContact` does. */
export async function changeContact(
  { contacts }: CrmPorts,
  scribe: Scribe,
  id: string,
  { phone, ...fields }: ContactFields,
  callingCode: string,
): Promise<ContactRow> {
  const digits = phone === undefined ? undefined : resolveNumber(phone, callingCode);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const row = await contacts.find(scribe.tenantId, id);
    if (!row) throw refusal('NOT_FOUND');
    const numbered = digits === undefined ? {} : { phone: digits, country: countryOf(digits) };
    const changed = await contacts.change(row, { ...(await patchFrom(scribe, row, fields)), ...numbered, ...touched(row, scribe.now) });
    if (changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
    if (changed) return changed;
  }
  throw refusal('CONFLICT');
}

/** Whom somebody has looked after is no mere acquaintance any more. */
const touched = ({ made_by }: ContactRow, now: number): ContactPatch => ({
  made_by: made_by === BY_A_MESSAGE ? null : made_by,
  updated_at: now,
});

/** The patch of a contact that these fields mean; tags and attributes that do not exist are made. */
async function patchFrom(scribe: Scribe, row: ContactRow | null, fields: Omit<ContactFields, 'phone'>): Promise<ContactPatch> {
  const { tags, attrs, group_id, ...plain } = fields;
  if (group_id && !scribe.vocabulary.groups.byId(group_id)) throw refusal('VALIDATION_FAILED', { reason: NO_GROUP });
  return {
    ...plain,
    ...(group_id !== undefined && { group_id }),
    ...(tags && { tag_ids: await tagIdsFor(scribe, tags) }),
    ...(attrs && { attrs: await mergedAttributes(scribe, row, attrs) }),
  };
}

async function mergedAttributes(
  scribe: Scribe,
  row: ContactRow | null,
  attrs: Readonly<Record<string, string | null>>,
): Promise<Record<string, string>> {
  const { attributes } = scribe.vocabulary;
  const given = Object.entries(attrs).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  const gone = new Set(Object.keys(attrs).flatMap((key) => (attrs[key] === null ? (attributes.byKey(key)?._id ?? []) : [])));
  const kept = Object.entries(row?.attrs ?? {}).filter(([id]) => !gone.has(id) && attributes.byId(id));
  const merged = { ...Object.fromEntries(kept), ...(await attributesFor(scribe, Object.fromEntries(given))) };
  if (Object.keys(merged).length > MOST_ATTRIBUTES) throw refusal('VALIDATION_FAILED', { reason: TOO_MANY });
  return merged;
}

export function blankContact(tenant_id: string, phone: string, now: number): ContactRow {
  const _id = newId(now);
  const created_at = momentOfId(_id);
  return {
    _id,
    tenant_id,
    phone,
    country: countryOf(phone),
    name: null,
    var1: null,
    var2: null,
    var3: null,
    var4: null,
    var5: null,
    group_id: null,
    tag_ids: [],
    attrs: {},
    last_message_at: null,
    made_by: null,
    rev: 0,
    created_at,
    updated_at: created_at,
  };
}

const countryOf = (digits: string): string | null => factsOf(digits)?.country ?? null;

/** What a caller needs to write of contacts: the tenant's words, read now. */
export async function scribeOf({ words }: Pick<CrmPorts, 'words'>, tenantId: string, now: number): Promise<Scribe> {
  return { words, tenantId, vocabulary: await vocabularyOf(words, tenantId), now };
}

const TAKEN = { en: 'a contact of this phone exists', id: 'kontak dengan nomor ini sudah ada' };
const NO_GROUP = { en: 'group_id names no group', id: 'group_id tidak menunjuk grup mana pun' };
const TOO_MANY = { en: `attrs: at most ${MOST_ATTRIBUTES} of a contact`, id: `attrs: paling banyak ${MOST_ATTRIBUTES} per kontak` };
