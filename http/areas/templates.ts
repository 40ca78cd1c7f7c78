import Joi from 'joi';
import { type CrmPorts, tokensOf } from '../../actors/crm/contacts.ts';
import { MOST_TEMPLATES, newTemplate, preview, sensible, type TemplateFields } from '../../actors/crm/templates.ts';
import { vocabularyOf } from '../../actors/crm/vocabulary.ts';
import type { MediaLibrary } from '../../actors/media/library.ts';
import { fits, isMediaType } from '../../actors/media/types.ts';
import { refusal } from '../../actors/refusals.ts';
import { ATTRIBUTE_KEY, type TokenValues } from '../../actors/tokens.ts';
import { folded } from '../../store/contacts.ts';
import { TEMPLATE_TYPES, type TemplateRow } from '../../store/words.ts';
import { type Area, type Call, rowsFor } from '../row.ts';
import { Done, Timestamp, Ulid } from '../schemas.ts';

export interface TemplatesWorld extends CrmPorts {
  readonly media: Pick<MediaLibrary, 'use'>;
}

type Template = TemplateFields & { readonly id: string; readonly created_at: number; readonly updated_at: number };
type NewTemplate = Pick<TemplateFields, 'name'> & Partial<TemplateFields>;
type Vars = TokenValues & { readonly first_name?: string | null };

const Text = Joi.string().min(1).max(65_536);
const fields = {
  message_type: Joi.string().valid(...TEMPLATE_TYPES),
  body: Text.allow(null)
    .description('Of text: with tokens such as `{name}`, `{{first_name|there}}`, `{attr.city}`')
    .example('Hi {{first_name|there}}, your order is ready.'),
  media_r2_key: Joi.string().min(1).max(256).allow(null).description('Of all other types: key of an uploaded file'),
  caption: Joi.string().max(1_024).allow(null).description('Of a file; with tokens'),
  language: Joi.string()
    .pattern(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)
    .max(35)
    .description('Default en'),
};
const Name = Joi.string().trim().min(1).max(100).example('Order ready');
const Value = Joi.string().max(1_000).allow(null, '');

const TemplateSchema = Joi.object<Template>({
  id: Ulid.required(),
  name: Joi.string().required(),
  message_type: fields.message_type.required(),
  body: Joi.string().allow(null).required(),
  media_r2_key: Joi.string().allow(null).required(),
  caption: Joi.string().allow(null, '').required(),
  language: Joi.string().required(),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'Template' });

const VarsSchema = Joi.object<Vars>({
  name: Value.example('Anna Widodo'),
  first_name: Value.description('Where no `name` is given'),
  phone: Value,
  ...Object.fromEntries(['var1', 'var2', 'var3', 'var4', 'var5'].map((name) => [name, Value])),
  attrs: Joi.object().pattern(ATTRIBUTE_KEY, Joi.string().max(1_000).allow('')),
});

const oneTemplate = Joi.object<{ id: string }>({ id: Ulid.required().description('The template') });
const row = rowsFor<TemplatesWorld>();

export const templates: Area<TemplatesWorld> = {
  name: 'templates',
  about: `Texts to be sent again and again, at most ${MOST_TEMPLATES}; sends and blasts take \`template_id\` in place of \`body\``,
  rows: [
    row({
      id: 'listTemplates',
      method: 'GET',
      path: '/v1/templates',
      summary: 'All templates, by name',
      access: 'bearer',
      status: 200,
      returns: Joi.object({ templates: Joi.array().items(TemplateSchema).required() }),
      run: async ({ words }, { caller }) => ({ templates: (await words.templates.list(caller.tenantId)).map(toTemplate) }),
    }),
    row({
      id: 'createTemplate',
      method: 'POST',
      path: '/v1/templates',
      summary: 'Make a template; CONFLICT when there is one of this name',
      access: 'bearer',
      body: Joi.object<NewTemplate>({ name: Name.required(), ...fields }),
      status: 201,
      returns: TemplateSchema,
      refuses: ['CONFLICT', 'LIMIT_REACHED', 'NOT_FOUND'],
      run: create,
    }),
    row({
      id: 'getTemplate',
      method: 'GET',
      path: '/v1/templates/{id}',
      summary: 'One template',
      access: 'bearer',
      params: oneTemplate,
      status: 200,
      returns: TemplateSchema,
      refuses: ['NOT_FOUND'],
      run: async (world, { caller, params }) => toTemplate(await found(world, caller.tenantId, params.id)),
    }),
    row({
      id: 'changeTemplate',
      method: 'PATCH',
      path: '/v1/templates/{id}',
      summary: 'Change a template; what is not named stays',
      access: 'bearer',
      params: oneTemplate,
      body: Joi.object<Partial<TemplateFields>>({ name: Name, ...fields }).min(1),
      status: 200,
      returns: TemplateSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: change,
    }),
    row({
      id: 'deleteTemplate',
      method: 'DELETE',
      path: '/v1/templates/{id}',
      summary: 'Remove a template; what was made of it stays',
      access: 'bearer',
      params: oneTemplate,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(world, { caller: { tenantId }, params }) {
        await found(world, tenantId, params.id);
        await world.words.templates.remove(tenantId, params.id);
        return { ok: true as const };
      },
    }),
    row({
      id: 'previewTemplate',
      method: 'POST',
      path: '/v1/templates/{id}/preview',
      summary: 'What it says to a contact, or with these values; `missing` names tokens that have neither a value nor a fallback',
      access: 'bearer',
      scope: 'read',
      params: oneTemplate,
      body: Joi.object<{ contact_id?: string; vars?: Vars }>({ contact_id: Ulid, vars: VarsSchema }).oxor('contact_id', 'vars'),
      status: 200,
      returns: Joi.object({ body: Joi.string().allow('').required(), missing: Joi.array().items(Joi.string()).required() }),
      refuses: ['NOT_FOUND'],
      run: previewed,
    }),
  ],
};

async function create(world: TemplatesWorld, { caller: { tenantId }, body, now }: Call<unknown, unknown, NewTemplate>): Promise<Template> {
  const given = { message_type: 'text', body: null, media_r2_key: null, caption: null, language: 'en', ...body } as const;
  const made = newTemplate(tenantId, given, null, now);
  await expectFile(world, made);
  if ((await world.words.templates.list(tenantId)).length >= MOST_TEMPLATES) throw refusal('LIMIT_REACHED');
  if (!(await world.words.templates.add(made))) throw refusal('CONFLICT', { reason: TAKEN });
  return toTemplate(made);
}

async function change(
  world: TemplatesWorld,
  { caller: { tenantId }, params, body, now }: Call<{ id: string }, unknown, Partial<TemplateFields>>,
): Promise<Template> {
  const named = { ...(await found(world, tenantId, params.id)), ...body, updated_at: now };
  const { _id, tenant_id: _tenant, ...after } = sensible({ ...named, key: folded(named.name) });
  await expectFile(world, { ...after, tenant_id: tenantId });
  const changed = await world.words.templates.change(tenantId, _id, after);
  if (changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
  if (!changed) throw refusal('NOT_FOUND');
  return toTemplate(changed);
}

async function previewed(
  world: TemplatesWorld,
  { caller: { tenantId }, params, body }: Call<{ id: string }, unknown, { contact_id?: string; vars?: Vars }>,
) {
  const template = await found(world, tenantId, params.id);
  const { text, missing } = preview(template, await valuesFrom(world, tenantId, body));
  return { body: text, missing };
}

async function valuesFrom(
  { contacts, words }: TemplatesWorld,
  tenantId: string,
  { contact_id, vars = {} }: { contact_id?: string; vars?: Vars },
): Promise<TokenValues> {
  const { first_name = null, ...values } = vars;
  if (contact_id === undefined) return { ...values, name: values.name || first_name };
  const contact = await contacts.find(tenantId, contact_id);
  if (!contact) throw refusal('NOT_FOUND', { reason: 'contact_id' });
  return tokensOf(contact, await vocabularyOf(words, tenantId));
}

/** The file of a template is there and can be sent as that. */
async function expectFile(
  { media }: TemplatesWorld,
  { tenant_id, message_type, media_r2_key }: Pick<TemplateRow, 'tenant_id' | 'message_type' | 'media_r2_key'>,
): Promise<void> {
  if (media_r2_key === null || !isMediaType(message_type)) return;
  const { content_type } = await media.use(tenant_id, media_r2_key);
  if (!fits(message_type, content_type))
    throw refusal('VALIDATION_FAILED', { reason: { en: `the file is ${content_type}`, id: `berkas adalah ${content_type}` } });
}

async function found({ words }: TemplatesWorld, tenantId: string, id: string): Promise<TemplateRow> {
  const template = await words.templates.find(tenantId, id);
  if (!template) throw refusal('NOT_FOUND');
  return template;
}

function toTemplate({ _id: id, name, message_type, body, media_r2_key, caption, language, created_at, updated_at }: TemplateRow): Template {
  return { id, name, message_type, body, media_r2_key, caption, language, created_at, updated_at };
}

const TAKEN = { en: 'there is a template of this name', id: 'templat dengan nama ini sudah ada' };
