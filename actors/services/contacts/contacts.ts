import { momentOfId } from '../../../runtime/derived-ids.ts';
import { newId } from '../../../runtime/ids.ts';
import type { ConsentStatus } from '../../../store/consent/consent-row.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import { type ContactPatch, type ContactRow, type Contacts, folded } from '../../../store/contacts/contacts.ts';
import type { LabelLists } from '../../../store/contacts/labels.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import { factsOf } from '../../domain/phone-numbers.ts';
import { CHANGED_MEANWHILE, refusal } from '../../domain/refusals.ts';
import type { TokenValues } from '../../domain/text-tokens.ts';
import { isLid } from '../../network/jid.ts';
import { personIn } from '../../network/subject.ts';
import { attributesFor, keyOf, type LabelIndex, type LabelWriter, labelIndexOf, tagIdsFor } from './labels.ts';
import type { StandingNumbers } from './standing-numbers.ts';

/**
 * Reads and changes contacts for the API. Each person is one contact, stored under the canonical
 * form of their number, or under their hidden address while the number is unknown. Rows contain the
 * ids of groups, tags and attributes; their names are in the label lists. Data:
 * store/contacts/contacts.ts and labels.ts.
 */

export interface ContactDeps {
  readonly contacts: Contacts;
  readonly labels: LabelLists;
}

export interface ShowingContactDeps {
  readonly identities: Pick<Identities, 'addressesOf'>;
  readonly consents: Pick<Consents, 'statusOf'>;
}

export interface NumberedContactDeps extends ContactDeps {
  readonly standing: StandingNumbers;
}

export const VARS = ['var1', 'var2', 'var3', 'var4', 'var5'] as const;

/** Omitted fields are not changed. */
export interface ContactFields extends Partial<Record<(typeof VARS)[number], string | null>> {
  readonly phone?: string;
  readonly name?: string | null;
  readonly group_id?: string | null;
  readonly tags?: readonly string[];
  readonly add_tags?: readonly string[];
  /** Attribute values by key. Null removes an attribute, and omitted attributes are kept. */
  readonly attrs?: Readonly<Record<string, string | null>>;
}

export interface Contact extends Pick<ContactRow, 'country' | 'name' | (typeof VARS)[number] | 'group_id' | 'last_message_at'> {
  readonly id: string;
  readonly phone: string | null;
  readonly lid: string | null;
  readonly username: string | null;
  readonly tags: readonly string[];
  readonly attrs: Readonly<Record<string, string>>;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface ContactWithConsent extends Contact {
  readonly consent: ConsentStatus | null;
}

export const LONGEST_NAME = 200;
export const MAX_TAGS = 50;
export const MAX_ATTRIBUTES = 50;

export async function lidsOf(
  { identities }: Pick<ShowingContactDeps, 'identities'>,
  tenantId: string,
  rows: readonly ContactRow[],
): Promise<Lids> {
  const phones = rows.flatMap(({ phone }) => (isLid(phone) ? [] : [phone]));
  const others = await identities.addressesOf(tenantId, phones);
  return new Map([...others].flatMap(([phone, addresses]) => addresses.filter(isLid).map((lid) => [phone, lid] as const)));
}

export type Lids = ReadonlyMap<string, string>;

export async function toContacts(
  deps: ShowingContactDeps,
  tenantId: string,
  rows: readonly ContactRow[],
  labelIndex: LabelIndex,
): Promise<readonly ContactWithConsent[]> {
  const people = rows.map(({ phone }) => phone);
  const [lids, said] = await Promise.all([lidsOf(deps, tenantId, rows), deps.consents.statusOf(tenantId, people)]);
  return rows.map((row) => ({ ...toContact(row, labelIndex, lids), consent: said.get(row.phone) ?? null }));
}

export function toContact(row: ContactRow, { groups, tags, attributes }: LabelIndex, lids: Lids): Contact {
  const { phone, lid } = personIn(row.phone);
  const { _id: id, country, name, var1, var2, var3, var4, var5, last_message_at, created_at, updated_at } = row;
  const named = Object.entries(row.attrs).flatMap(([attributeId, value]) => {
    const attribute = attributes.byId(attributeId);
    return attribute ? [[keyOf(attribute), value] as const] : [];
  });
  return {
    ...{ id, phone, lid: lid ?? lids.get(row.phone) ?? null, username: row.username ?? null, country, name, var1, var2, var3, var4, var5 },
    group_id: row.group_id !== null && groups.byId(row.group_id) ? row.group_id : null,
    tags: row.tag_ids.flatMap((tagId) => tags.byId(tagId)?.name ?? []),
    attrs: Object.fromEntries(named),
    ...{ last_message_at, created_at, updated_at },
  };
}

const NO_LIDS: Lids = new Map();

/** Returns a contact's placeholder values, without a hidden address, which is never shown. */
export function tokensOf(row: ContactRow, labelIndex: LabelIndex): TokenValues {
  const { lid: _, phone, ...values } = toContact(row, labelIndex, NO_LIDS);
  return { ...values, phone: phone && `+${phone}` };
}

/** Adds fields to a contact that a message created. Fails with CONFLICT or VALIDATION_FAILED. */
export async function createContact(
  { contacts, standing }: NumberedContactDeps,
  labelWriter: LabelWriter,
  { phone, ...fields }: ContactFields & { readonly phone: string },
  told: Pick<ContactRow, 'username'> = {},
): Promise<ContactRow> {
  const digits = await standingNumber(standing, labelWriter.tenantId, phone);
  const patch = { ...(await patchFrom(labelWriter, null, fields)), ...told };
  const row = { ...blankContact(labelWriter.tenantId, digits, labelWriter.now), ...patch };
  return (await contacts.add(row)) ? row : completed(contacts, labelWriter, digits, patch);
}

export const standingNumber = async (standing: StandingNumbers, tenantId: string, digits: string): Promise<string> =>
  (await standing(tenantId, [digits])).get(digits) ?? digits;

async function completed(contacts: Contacts, labelWriter: LabelWriter, phone: string, patch: ContactPatch): Promise<ContactRow> {
  const [found] = await contacts.byPhones(labelWriter.tenantId, [phone]);
  const isOurs = found?.made_by === BY_A_MESSAGE;
  const changed = isOurs && (await contacts.change(found, { ...patch, made_by: null, updated_at: labelWriter.now }));
  if (!changed || changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
  return changed;
}

export const BY_A_MESSAGE = 'message';

export interface Shown {
  readonly name: string | null;
  readonly username: string | null;
}

export function acquaintance(tenantId: string, phone: string, { name, username }: Shown, now: number): ContactRow {
  const shown = name?.trim().slice(0, LONGEST_NAME).toWellFormed() || null;
  return { ...blankContact(tenantId, phone, now), name: shown, ...(username && { username }), made_by: BY_A_MESSAGE };
}

const TRIES = 10;

/** Fails like `createContact`, or with NOT_FOUND. */
export async function changeContact(
  { contacts, standing }: NumberedContactDeps,
  labelWriter: LabelWriter,
  id: string,
  { phone, ...fields }: ContactFields,
): Promise<ContactRow> {
  const digits = phone === undefined ? undefined : await standingNumber(standing, labelWriter.tenantId, phone);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const row = await contacts.find(labelWriter.tenantId, id);
    if (!row) throw refusal('NOT_FOUND');
    const numbered = digits === undefined ? {} : { phone: digits, country: countryOf(digits) };
    const changed = await contacts.change(row, {
      ...(await patchFrom(labelWriter, row, fields)),
      ...numbered,
      ...touched(row, labelWriter.now),
    });
    if (changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
    if (changed) return changed;
  }
  throw refusal('CONFLICT', { reason: CHANGED_MEANWHILE });
}

export const touched = ({ made_by }: ContactRow, now: number): ContactPatch => ({
  made_by: made_by === BY_A_MESSAGE ? null : made_by,
  updated_at: now,
});

async function patchFrom(labelWriter: LabelWriter, row: ContactRow | null, fields: Omit<ContactFields, 'phone'>): Promise<ContactPatch> {
  const { tags, add_tags, attrs, group_id, ...plain } = fields;
  if (group_id && !labelWriter.labelIndex.groups.byId(group_id))
    throw refusal('VALIDATION_FAILED', { field: 'group_id', reason: NO_GROUP });
  return {
    ...plain,
    ...(group_id !== undefined && { group_id }),
    ...(tags && { tag_ids: await tagIdsFor(labelWriter, tags) }),
    ...(add_tags && { tag_ids: await withTags(labelWriter, row, tags, add_tags) }),
    ...(attrs && { attrs: await mergedAttributes(labelWriter, row, attrs) }),
  };
}

async function withTags(
  labelWriter: LabelWriter,
  row: ContactRow | null,
  tags: readonly string[] | undefined,
  added: readonly string[],
): Promise<readonly string[]> {
  const own = tags ? await tagIdsFor(labelWriter, tags) : (row?.tag_ids ?? []);
  const all = [...new Set([...own, ...(await tagIdsFor(labelWriter, added))])];
  if (all.length > MAX_TAGS) throw refusal('VALIDATION_FAILED', { field: 'add_tags', reason: TOO_MANY_TAGS });
  return all;
}

async function mergedAttributes(
  labelWriter: LabelWriter,
  row: ContactRow | null,
  attrs: Readonly<Record<string, string | null>>,
): Promise<Record<string, string>> {
  const { attributes } = labelWriter.labelIndex;
  const given = Object.entries(attrs).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  const gone = new Set(Object.keys(attrs).flatMap((key) => (attrs[key] === null ? (attributes.byKey(folded(key))?._id ?? []) : [])));
  const kept = Object.entries(row?.attrs ?? {}).filter(([id]) => !gone.has(id) && attributes.byId(id));
  const merged = { ...Object.fromEntries(kept), ...(await attributesFor(labelWriter, Object.fromEntries(given))) };
  if (Object.keys(merged).length > MAX_ATTRIBUTES) throw refusal('VALIDATION_FAILED', { field: 'attrs', reason: TOO_MANY });
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

export const countryOf = (subject: string): string | null => (isLid(subject) ? null : (factsOf(subject)?.country ?? null));

export async function labelWriterOf({ labels }: Pick<ContactDeps, 'labels'>, tenantId: string, now: number): Promise<LabelWriter> {
  return { labels, tenantId, labelIndex: await labelIndexOf(labels, tenantId), now };
}

const TAKEN = { en: 'this phone already has a contact', id: 'kontak dengan nomor ini sudah ada' };
const NO_GROUP = { en: 'there is no group with this group_id', id: 'tidak ada grup dengan group_id ini' };
const TOO_MANY_TAGS = { en: `at most ${MAX_TAGS} tags for each contact`, id: `paling banyak ${MAX_TAGS} tag per kontak` };
const TOO_MANY = { en: `attrs: at most ${MAX_ATTRIBUTES} for each contact`, id: `attrs: paling banyak ${MAX_ATTRIBUTES} per kontak` };
