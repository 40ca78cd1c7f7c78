import { newId } from '../../../runtime/ids.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import type { TemplateRow } from '../../../store/contacts/labels.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import { refusal } from '../../domain/refusals.ts';
import { compile, MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, type Rendered, render, type TokenValues } from '../../domain/text-tokens.ts';
import { personIn, subjectOf } from '../../network/subject.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { type ContactDeps, tokensOf } from './contacts.ts';
import { labelIndexOf } from './labels.ts';

export interface TemplateDeps extends ContactDeps {
  readonly people: Pick<IdentityResolver, 'resolve'>;
}

export type TemplateFields = Pick<TemplateRow, 'name' | 'message_type' | 'body' | 'media_r2_key' | 'caption' | 'language'>;

/** The content of a template for one person: the fields of a send that it replaces. */
export interface Filled {
  readonly type: TemplateRow['message_type'];
  readonly body?: string;
  /** Of a text: before it was filled in. */
  readonly unfilled?: string;
  readonly media_r2_key?: string;
  readonly caption?: string;
}

export const MAX_TEMPLATES = 1_000;

export function newTemplate(tenant_id: string, fields: TemplateFields, pack: string | null, now: number): TemplateRow {
  return sensible({ _id: newId(now), tenant_id, key: folded(fields.name), ...fields, pack, created_at: now, updated_at: now });
}

/** Refuses VALIDATION_FAILED for a text without a body, and for any other type without a file. */
export function sensible(row: TemplateRow): TemplateRow {
  const isText = row.message_type === 'text';
  if (isText ? row.body === null : row.media_r2_key === null)
    throw refusal('VALIDATION_FAILED', { field: isText ? 'body' : 'media_r2_key', reason: isText ? NO_BODY : NO_FILE });
  if (isText) return { ...row, media_r2_key: null, caption: null };
  return { ...row, body: null, ...(!hasText(row.message_type) && { caption: null }) };
}

/** The text that tokens of a template are in. */
export const textOf = ({ body, caption }: TemplateRow): string => body ?? caption ?? '';

/** A template filled with values. Refuses VALIDATION_FAILED for the `field` that names them, where it comes out too long. */
export function preview(template: TemplateRow, values: TokenValues, field: string): Rendered {
  const maxLength = template.body === null ? MAX_CAPTION_LENGTH : MAX_TEXT_LENGTH;
  const rendered = render(compile(textOf(template)), values, maxLength);
  if (!rendered) throw refusal('VALIDATION_FAILED', { field, reason: tooLong(maxLength) });
  return rendered;
}

/** The known names and values of these people (digits, or hidden addresses), for texts to them. */
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

/** What is known of the person in a chat. */
export async function valuesOfChat(deps: ContactDeps, tenantId: string, chat: string): Promise<TokenValues> {
  const subject = subjectOf(chat);
  if (subject === null) return {};
  return (await valuesOf(deps, tenantId, [subject])).get(subject) ?? valuesOfStranger(subject);
}

/** A text without tokens as it is, else filled; empty where it would be longer than a message may be. */
export async function filled(text: string, valuesFor: () => Promise<TokenValues>): Promise<string> {
  const compiled = compile(text);
  if (compiled.tokens.length === 0) return text;
  return render(compiled, await valuesFor(), MAX_TEXT_LENGTH)?.text ?? '';
}

/** A template filled for a chat from its contact. Refuses NOT_FOUND, and VALIDATION_FAILED where nothing is left of its text or it comes out too long. */
export async function fillTemplate(deps: TemplateDeps, tenantId: string, templateId: string, chat: string): Promise<Filled> {
  const template = await deps.labels.templates.find(tenantId, templateId);
  if (!template) throw refusal('NOT_FOUND', { reason: 'template_id' });
  const subject = subjectOf(await deps.people.resolve(tenantId, chat));
  const known = subject === null ? undefined : (await valuesOf(deps, tenantId, [subject])).get(subject);
  const { text } = preview(template, known ?? valuesOfStranger(subject), 'template_id');
  const { message_type: type, media_r2_key } = template;
  if (media_r2_key !== null) return { type, media_r2_key, ...(text !== '' && { caption: text }) };
  if (text.trim() === '') throw refusal('VALIDATION_FAILED', { field: 'template_id', reason: NOTHING });
  return { type, body: text, ...(template.body !== null && { unfilled: template.body }) };
}

/** All that is known of somebody who is no contact. */
function valuesOfStranger(subject: string | null): TokenValues {
  const { phone } = personIn(subject ?? '');
  return { phone: phone && `+${phone}` };
}

const NO_BODY = { en: 'body is required for text', id: 'body wajib diisi untuk teks' };
const NO_FILE = { en: 'media_r2_key is required for this type', id: 'media_r2_key wajib diisi untuk tipe ini' };
const tooLong = (maxLength: number) => ({
  en: `the template is longer than ${maxLength} characters once it is filled in`,
  id: `templat lebih panjang dari ${maxLength} karakter setelah diisi`,
});
const NOTHING = { en: 'the template has no text for this contact', id: 'templat tidak berisi teks untuk kontak ini' };
