import { newId } from '../../../runtime/ids.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import type { OfficialTemplate, TemplateRow } from '../../../store/contacts/labels.ts';
import type { OfficialNumber } from '../../../store/devices/official-number.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import type { MessageParts } from '../../../store/messaging/messages.ts';
import { shownText, templateObject, variablesOf } from '../../domain/official-templates.ts';
import { type Fault, invalid, refusal } from '../../domain/refusals.ts';
import { compile, MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, type Rendered, render, type TokenValues } from '../../domain/text-tokens.ts';
import { personIn, subjectOf } from '../../network/subject.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { type ContactDeps, tokensOf } from './contacts.ts';
import { labelIndexOf } from './labels.ts';

/**
 * Manages message templates: the tenant's own templates, with placeholders, and official ones on
 * the vendor's platform, with variables. Filling in a template replaces its placeholders with
 * values of the person's contact. Data: store/contacts/labels.ts.
 */

export interface TemplateDeps extends ContactDeps {
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

export type TemplateFields = Pick<TemplateRow, 'name' | 'message_type' | 'body' | 'media_r2_key' | 'caption' | 'language'>;

export interface Filled {
  readonly type: TemplateRow['message_type'];
  readonly body?: string;
  readonly unfilled?: string;
  readonly media_r2_key?: string;
  readonly caption?: string;
  /** The header file of an official template is passed with each send. */
  readonly official?: NonNullable<MessageParts['official']>;
}

export const MAX_TEMPLATES = 1_000;

export function newTemplate(tenant_id: string, fields: TemplateFields, pack: string | null, now: number): TemplateRow {
  return sensible({ _id: newId(now), tenant_id, key: folded(fields.name), ...fields, pack, created_at: now, updated_at: now });
}

export function sensible(row: TemplateRow): TemplateRow {
  const isText = row.message_type === 'text';
  if (isText ? row.body === null : row.media_r2_key === null)
    throw refusal('VALIDATION_FAILED', { field: isText ? 'body' : 'media_r2_key', reason: isText ? NO_BODY : NO_FILE });
  if (isText) return { ...row, media_r2_key: null, caption: null };
  return { ...row, body: null, ...(!hasText(row.message_type) && { caption: null }) };
}

/** Returns the text with placeholders; '' for an official template, whose braces are vendor variables. */
export const textOf = ({ body, caption, official }: TemplateRow): string => (official ? '' : (body ?? caption ?? ''));

/** Fails with VALIDATION_FAILED for `field` if the result is too long. */
export function preview(template: TemplateRow, values: TokenValues, field: string): Rendered {
  if (template.official) return { text: template.body ?? '', missing: variablesOf(template.official.components) };
  const maxLength = template.body === null ? MAX_CAPTION_LENGTH : MAX_TEXT_LENGTH;
  const rendered = render(compile(textOf(template)), values, maxLength);
  if (!rendered) throw refusal('VALIDATION_FAILED', { field, reason: tooLong(maxLength) });
  return rendered;
}

export async function valuesOf(
  { contacts, labels }: ContactDeps,
  tenantId: string,
  phones: readonly string[],
): Promise<ReadonlyMap<string, TokenValues>> {
  const found = await contacts.byPhones(tenantId, phones);
  if (found.length === 0) return new Map();
  const labelIndex = await labelIndexOf(labels, tenantId);
  return new Map(found.map((row) => [row.phone, tokensOf(row, labelIndex)]));
}

export async function valuesOfChat(deps: ContactDeps, tenantId: string, chat: string): Promise<TokenValues> {
  const subject = subjectOf(chat);
  if (subject === null) return {};
  return (await valuesOf(deps, tenantId, [subject])).get(subject) ?? valuesOfStranger(subject);
}

/** Fills in a text. Returns '' if the result is too long for a message. */
export async function filled(text: string, valuesFor: () => Promise<TokenValues>): Promise<string> {
  const compiled = compile(text);
  if (compiled.tokens.length === 0) return text;
  return render(compiled, await valuesFor(), MAX_TEXT_LENGTH)?.text ?? '';
}

/** Values for the variables of an official template. They may contain placeholders. */
export type Variables = Readonly<Record<string, string>>;
type OfNumber = Pick<OfficialNumber, 'waba_id'>;

export interface TemplateUse {
  readonly template_id: string;
  readonly variables?: Variables;
  readonly official?: OfNumber | null;
}

/** Fails with NOT_FOUND, or VALIDATION_FAILED if the text is empty or too long. */
export async function fillTemplate(
  deps: TemplateDeps,
  tenantId: string,
  { template_id, variables, official: number = null }: TemplateUse,
  chat: string,
): Promise<Filled> {
  const template = await deps.labels.templates.find(tenantId, template_id);
  if (!template) throw refusal('NOT_FOUND', { reason: 'template_id' });
  const subject = subjectOf(await deps.people.resolve(tenantId, chat));
  const known = subject === null ? undefined : (await valuesOf(deps, tenantId, [subject])).get(subject);
  const values = known ?? valuesOfStranger(subject);
  if (template.official) {
    const { official, message_type: type } = template;
    return filledOfficial({ official, type }, number, variables ?? {}, values);
  }
  if (variables !== undefined) throw refusal('VALIDATION_FAILED', { field: 'variables', reason: NO_VARIABLES });
  const { text } = preview(template, values, 'template_id');
  const { message_type: type, media_r2_key } = template;
  if (media_r2_key !== null) return { type, media_r2_key, ...(text !== '' && { caption: text }) };
  if (text.trim() === '') throw refusal('VALIDATION_FAILED', { field: 'template_id', reason: NOTHING });
  return { type, body: text, ...(template.body !== null && { unfilled: template.body }) };
}

/** Fails with VALIDATION_FAILED, or CONFLICT if the template is not approved. */
export function expectSendable(official: OfficialTemplate, number: OfNumber | null, variables: Variables): void {
  if (official.waba_id !== number?.waba_id) throw refusal('VALIDATION_FAILED', { field: 'template_id', reason: OTHER_ACCOUNT });
  const faults = faultsOfVariables(official, variables);
  if (faults.length > 0) throw invalid(faults);
  if (official.status !== 'approved') throw refusal('CONFLICT', { reason: notApproved(official.status) });
}

/** Fails like `expectSendable`, or with VALIDATION_FAILED if a value is empty. */
function filledOfficial(
  { official, type }: { readonly official: OfficialTemplate; readonly type: TemplateRow['message_type'] },
  number: OfNumber | null,
  variables: Variables,
  values: TokenValues,
): Filled {
  expectSendable(official, number, variables);
  const given = valuesFor(variables, values);
  const empty = [...given].filter(([, value]) => value.trim() === '').map(([name]): Fault => ({ path: `variables.${name}`, ...EMPTY }));
  if (empty.length > 0) throw invalid(empty);
  const text = shownText(official.components, given);
  if (text.length > MAX_CAPTION_LENGTH) throw refusal('VALIDATION_FAILED', { field: 'variables', reason: tooLong(MAX_CAPTION_LENGTH) });
  const template = templateObject(official, given);
  return { type, ...(type === 'text' ? { body: text } : { caption: text }), official: { template } };
}

export function faultsOfVariables({ components }: Pick<OfficialTemplate, 'components'>, variables: Variables): readonly Fault[] {
  const wanted = variablesOf(components);
  const missing = wanted.filter((name) => variables[name] === undefined);
  const unknown = Object.keys(variables).filter((name) => !wanted.includes(name));
  return [...missing.map((name) => missingVariable(name)), ...unknown.map((name) => unknownVariable(name, wanted))];
}

export const valuesFor = (variables: Variables, values: TokenValues): ReadonlyMap<string, string> =>
  new Map(Object.entries(variables).map(([name, text]) => [name, render(compile(text), values, MAX_CAPTION_LENGTH)?.text ?? '']));

function valuesOfStranger(subject: string | null): TokenValues {
  const { phone } = personIn(subject ?? '');
  return { phone: phone && `+${phone}` };
}

const missingVariable = (name: string): Fault => ({
  path: `variables.${name}`,
  en: `variables.${name} is required by the template`,
  id: `variables.${name} wajib diisi untuk templat ini`,
});
const unknownVariable = (name: string, wanted: readonly string[]): Fault => ({
  path: `variables.${name}`,
  en: `variables.${name} is not in the template; it has ${wanted.join(', ') || 'none'}`,
  id: `variables.${name} tidak ada di templat; yang ada: ${wanted.join(', ') || 'tidak ada'}`,
});
const EMPTY = { en: 'it has no value for this person', id: 'tidak ada nilainya untuk orang ini' };
const NO_VARIABLES = { en: 'only official templates have variables', id: 'hanya templat resmi yang punya variabel' };
const OTHER_ACCOUNT = {
  en: 'an official template can be sent only from the numbers of its own account',
  id: 'templat resmi hanya dapat dikirim dari nomor akunnya sendiri',
};
const notApproved = (status: string) => ({ en: `the template is ${status}`, id: `templat berstatus ${status}` });
const NO_BODY = { en: 'body is required for text', id: 'body wajib diisi untuk teks' };
const NO_FILE = { en: 'media_r2_key is required for this type', id: 'media_r2_key wajib diisi untuk tipe ini' };
const tooLong = (maxLength: number) => ({
  en: `the template is longer than ${maxLength} characters once it is filled in`,
  id: `templat lebih panjang dari ${maxLength} karakter setelah diisi`,
});
const NOTHING = { en: 'the template has no text for this contact', id: 'templat tidak berisi teks untuk kontak ini' };
