import { newId } from '../../runtime/ids.ts';
import { folded } from '../../store/contacts.ts';
import type { TemplateRow } from '../../store/words.ts';
import { phoneOf } from '../network/jid.ts';
import type { People } from '../people/people.ts';
import { refusal } from '../refusals.ts';
import { compile, type Rendered, render, type TokenValues } from '../tokens.ts';
import { type CrmPorts, tokensOf } from './contacts.ts';
import { vocabularyOf } from './vocabulary.ts';

export interface TemplatePorts extends CrmPorts {
  readonly people: Pick<People, 'canonical'>;
}

export type TemplateFields = Pick<TemplateRow, 'name' | 'message_type' | 'body' | 'media_r2_key' | 'caption' | 'language'>;

/** What a template says to one person: the fields of a send that take its place. */
export interface Filled {
  readonly type: TemplateRow['message_type'];
  readonly body?: string;
  readonly media_r2_key?: string;
  readonly caption?: string;
}

export const MOST_TEMPLATES = 1_000;

export function newTemplate(tenant_id: string, fields: TemplateFields, pack: string | null, now: number): TemplateRow {
  return sensible({ _id: newId(now), tenant_id, key: folded(fields.name), ...fields, pack, created_at: now, updated_at: now });
}

/** Refuses VALIDATION_FAILED for a text without a body, and for any other type without a file. */
export function sensible(row: TemplateRow): TemplateRow {
  const isText = row.message_type === 'text';
  if (isText ? row.body === null : row.media_r2_key === null) throw refusal('VALIDATION_FAILED', { reason: isText ? NO_BODY : NO_FILE });
  return isText ? { ...row, media_r2_key: null, caption: null } : { ...row, body: null };
}

/** The text that tokens of a template are in. */
export const textOf = ({ body, caption }: TemplateRow): string => body ?? caption ?? '';

export const preview = (template: TemplateRow, values: TokenValues): Rendered => render(compile(textOf(template)), values);

/** What these people (digits) are known by, for texts to them. */
export async function valuesOf(
  { contacts, words }: CrmPorts,
  tenantId: string,
  phones: readonly string[],
): Promise<ReadonlyMap<string, TokenValues>> {
  const found = await contacts.byPhones(tenantId, phones);
  if (found.length === 0) return new Map();
  const vocabulary = await vocabularyOf(words, tenantId);
  return new Map(found.map((row) => [row.phone, tokensOf(row, vocabulary)]));
}

/** A template filled for a chat from its contact. Refuses NOT_FOUND, and VALIDATION_FAILED where nothing is left of its text. */
export async function fillTemplate(ports: TemplatePorts, tenantId: string, templateId: string, chat: string): Promise<Filled> {
  const template = await ports.words.templates.find(tenantId, templateId);
  if (!template) throw refusal('NOT_FOUND', { reason: 'template_id' });
  const phone = phoneOf(await ports.people.canonical(tenantId, chat));
  const known = phone === null ? undefined : (await valuesOf(ports, tenantId, [phone])).get(phone);
  const { text } = preview(template, known ?? { phone: phone && `+${phone}` });
  const { message_type: type, media_r2_key } = template;
  if (media_r2_key !== null) return { type, media_r2_key, ...(text !== '' && { caption: text }) };
  if (text.trim() === '') throw refusal('VALIDATION_FAILED', { reason: NOTHING });
  return { type, body: text };
}

const NO_BODY = { en: 'body is required for text', id: 'body wajib diisi untuk teks' };
const NO_FILE = { en: 'media_r2_key is required for this type', id: 'media_r2_key wajib diisi untuk tipe ini' };
const NOTHING = { en: 'the template has no text for this contact', id: 'templat tidak berisi teks untuk kontak ini' };
