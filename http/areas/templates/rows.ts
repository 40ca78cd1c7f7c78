import Joi from 'joi';
import { beyondLimit } from '../../../actors/domain/plans.ts';
import { type Fault, refusal } from '../../../actors/domain/refusals.ts';
import { ATTRIBUTE_KEY, MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, type TokenValues } from '../../../actors/domain/text-tokens.ts';
import { type ContactDeps, tokensOf } from '../../../actors/services/contacts/contacts.ts';
import { expectListable, labelIndexOf } from '../../../actors/services/contacts/labels.ts';
import { MAX_TEMPLATES, newTemplate, preview, sensible, type TemplateFields } from '../../../actors/services/contacts/templates.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import { fits, isMediaType } from '../../../actors/services/media/types.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import { TEMPLATE_TYPES, type TemplateRow } from '../../../store/contacts/labels.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { Done, Timestamp, Ulid } from '../../core/schemas.ts';
import { type ContactsServices, visibleContact } from '../contacts/rows.ts';
import {
  type NewOfficialTemplate,
  NewOfficialTemplateSchema,
  OfficialTemplateSchema,
  type OfficialTemplateServices,
  removeFromAccount,
  type ShownTemplate,
  shownTemplate,
  submit,
} from '../official/templates.ts';
import { TokenWarnings, tokenWarnings, type Warned } from '../token-warnings.ts';

export interface TemplatesServices extends ContactDeps, Pick<ContactsServices, 'visibility'> {
  readonly media: Pick<MediaLibrary, 'use'>;
  readonly officialTemplates: OfficialTemplateServices['officialTemplates'];
  readonly devices: OfficialTemplateServices['devices'];
}

type Template = TemplateFields &
  Warned & { readonly id: string; readonly official: ShownTemplate | null; readonly created_at: number; readonly updated_at: number };
type NewTemplate = Partial<TemplateFields> & { readonly official?: NewOfficialTemplate };
type Vars = TokenValues & { readonly first_name?: string | null };

const Text = Joi.string().min(1).max(MAX_TEXT_LENGTH);
const fields = {
  message_type: Joi.string().valid(...TEMPLATE_TYPES),
  body: Text.allow(null)
    .description('For texts; tokens such as `{name}`, `{{first_name|there}}`, `{attr.city}` are filled in')
    .example('Hi {{first_name|there}}, your order is ready.'),
  media_r2_key: Joi.string().min(1).max(256).allow(null).description('For all other types: the key of an uploaded file'),
  caption: Joi.string().max(MAX_CAPTION_LENGTH).allow(null).description('For an image, a video or a document; may contain tokens'),
  language: Joi.string()
    .pattern(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)
    .max(35)
    .meta({ default: 'en' }),
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
  official: OfficialTemplateSchema.required(),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
  warnings: TokenWarnings,
}).meta({ title: 'Template' });

const VarsSchema = Joi.object<Vars>({
  name: Value.example('Anna Widodo'),
  first_name: Value.description('Used if no `name` is given'),
  phone: Value,
  ...Object.fromEntries(['var1', 'var2', 'var3', 'var4', 'var5'].map((name) => [name, Value])),
  attrs: Joi.object().pattern(ATTRIBUTE_KEY, Joi.string().max(1_000).allow('')),
});

const oneTemplate = Joi.object<{ id: string }>({ id: Ulid.required().description('The template') });
const row = rowsFor<TemplatesServices>();

export const templates: Area<TemplatesServices> = {
  name: 'templates',
  about: `Reusable texts, at most ${MAX_TEMPLATES}. Sends and campaigns accept \`template_id\` instead of \`body\``,
  rows: [
    row({
      id: 'listTemplates',
      list: { of: 'templates' },
      method: 'GET',
      path: '/v1/templates',
      summary: 'List templates by name',
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      agents: true,
      status: 200,
      returns: Joi.object({ templates: Joi.array().items(TemplateSchema).required() }),
      run: async ({ labels }, { caller }) => ({ templates: (await labels.templates.list(caller.tenantId)).map(toTemplate) }),
    }),
    row({
      id: 'createTemplate',
      method: 'POST',
      path: '/v1/templates',
      summary: 'Create a template',
      example: { name: 'Order ready', message_type: 'text', body: 'Hi {{first_name|there}}, your order is ready.' },
      about:
        'Returns CONFLICT if the name is already taken. With `official`, it is submitted to the official platform, which approves or rejects it later',
      audit: { action: 'template.create', on: 'templates' },
      stepUp: { none: 'changes reusable texts; grants no access' },
      access: 'bearer',
      heavy: true,
      body: Joi.object<NewTemplate>({
        name: Name.description('Required without `official`. With it, the default is the name in `official`'),
        ...fields,
        official: NewOfficialTemplateSchema,
      }),
      check: faultsOfNew,
      status: 201,
      returns: TemplateSchema,
      refuses: ['CONFLICT', 'LIMIT_REACHED', 'NOT_FOUND', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      run: create,
    }),
    row({
      id: 'getTemplate',
      method: 'GET',
      path: '/v1/templates/{id}',
      summary: 'Get a template',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: oneTemplate,
      status: 200,
      returns: TemplateSchema,
      refuses: ['NOT_FOUND'],
      run: async (services, { caller, params }) => toTemplate(await found(services, caller.tenantId, params.id)),
    }),
    row({
      id: 'changeTemplate',
      method: 'PATCH',
      path: '/v1/templates/{id}',
      summary: 'Update a template',
      example: { body: 'Hi {{first_name|there}}, your order is on its way.' },
      about: 'Omitted fields are unchanged',
      audit: { action: 'template.update', on: 'templates' },
      stepUp: { none: 'changes reusable texts; grants no access' },
      access: 'bearer',
      heavy: true,
      params: oneTemplate,
      body: Joi.object<Partial<TemplateFields>>({ name: Name, ...fields }).min(1),
      status: 200,
      returns: TemplateSchema,
      refuses: ['NOT_FOUND', 'CONFLICT', 'LIMIT_REACHED'],
      run: change,
    }),
    row({
      id: 'deleteTemplate',
      method: 'DELETE',
      path: '/v1/templates/{id}',
      summary: 'Delete a template',
      about: 'Messages created from it are kept. An official template is also removed from its account on the platform, in this language',
      audit: { action: 'template.delete', on: 'templates' },
      stepUp: { none: 'changes reusable texts; grants no access' },
      access: 'bearer',
      params: oneTemplate,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run(services, { caller: { tenantId }, params }) {
        const { official } = await found(services, tenantId, params.id);
        if (official) await removeFromAccount(services, tenantId, official);
        await services.labels.templates.remove(tenantId, params.id);
        return { ok: true as const };
      },
    }),
    row({
      id: 'previewTemplate',
      method: 'POST',
      path: '/v1/templates/{id}/preview',
      summary: 'Preview a template',
      example: { vars: { name: 'Anna Widodo' } },
      about:
        'Preview a template for a contact or with given values. VALIDATION_FAILED if the result is too long to be sent. `missing` lists tokens with neither a value nor a fallback',
      audit: { none: 'changes nothing' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
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

async function create(
  services: TemplatesServices,
  { caller: { tenantId }, body: { official, ...body }, lang, now }: Call<unknown, unknown, NewTemplate>,
): Promise<Template> {
  if (official) return toTemplate(await submit(services, tenantId, body.name, official));
  const given = { message_type: 'text', body: null, media_r2_key: null, caption: null, language: 'en', name: '', ...body } as const;
  const made = newTemplate(tenantId, given, null, now);
  await expectFile(services, made);
  await expectListable(services.labels.templates, made, null, TEMPLATES);
  const outcome = await services.labels.templates.add(made, MAX_TEMPLATES);
  if (outcome === 'full') throw beyondLimit(MAX_TEMPLATES, TEMPLATES);
  if (outcome === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
  return { ...toTemplate(made), ...tokenWarnings(lang, made.body, made.caption) };
}

async function change(
  services: TemplatesServices,
  { caller: { tenantId }, params, body, lang, now }: Call<{ id: string }, unknown, Partial<TemplateFields>>,
): Promise<Template> {
  for (;;) {
    const before = await found(services, tenantId, params.id);
    if (before.official && Object.keys(body).some((field) => field !== 'name')) throw refusal('CONFLICT', { reason: OF_VENDOR });
    const after = before.official ? { ...before, ...body } : sensible({ ...before, ...body });
    if (body.message_type !== undefined || body.media_r2_key !== undefined) await expectFile(services, after);
    const key = body.name === undefined ? {} : { key: folded(body.name) };
    const patch = { ...body, ...contentOf(after), ...key, updated_at: now };
    await expectListable(services.labels.templates, { ...before, ...patch }, before, TEMPLATES);
    const changed = await services.labels.templates.change(tenantId, params.id, patch, contentOf(before));
    if (changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
    // If nothing was written, the content has changed in the meantime. The loop then validates the
    // change against the new content.
    if (changed) return { ...toTemplate(changed), ...tokenWarnings(lang, changed.body, changed.caption) };
  }
}

const contentOf = ({ message_type, body, media_r2_key, caption }: TemplateRow) => ({ message_type, body, media_r2_key, caption });

async function previewed(
  services: TemplatesServices,
  { caller, params, body }: Call<{ id: string }, unknown, { contact_id?: string; vars?: Vars }>,
) {
  const template = await found(services, caller.tenantId, params.id);
  const { text, missing } = preview(
    template,
    await valuesFrom(services, caller, body),
    body.contact_id === undefined ? 'vars' : 'contact_id',
  );
  return { body: text, missing };
}

async function valuesFrom(
  services: TemplatesServices,
  caller: Caller,
  { contact_id, vars = {} }: { contact_id?: string; vars?: Vars },
): Promise<TokenValues> {
  const { first_name = null, ...values } = vars;
  if (contact_id === undefined) return { ...values, name: values.name || first_name };
  const contact = await visibleContact(services, caller, contact_id);
  return tokensOf(contact, await labelIndexOf(services.labels, caller.tenantId));
}

async function expectFile(
  { media }: TemplatesServices,
  { tenant_id, message_type, media_r2_key }: Pick<TemplateRow, 'tenant_id' | 'message_type' | 'media_r2_key'>,
): Promise<void> {
  if (media_r2_key === null || !isMediaType(message_type)) return;
  const { content_type } = await media.use(tenant_id, media_r2_key);
  if (!fits(message_type, content_type))
    throw refusal('VALIDATION_FAILED', {
      field: 'media_r2_key',
      reason: { en: `the file is ${content_type}`, id: `jenis berkas ini ${content_type}` },
    });
}

async function found({ labels }: TemplatesServices, tenantId: string, id: string): Promise<TemplateRow> {
  const template = await labels.templates.find(tenantId, id);
  if (!template) throw refusal('NOT_FOUND');
  return template;
}

function toTemplate({ _id: id, name, message_type, body, media_r2_key, caption, language, ...row }: TemplateRow): Template {
  const { official, created_at, updated_at } = row;
  return { id, name, message_type, body, media_r2_key, caption, language, official: shownTemplate(official), created_at, updated_at };
}

function faultsOfNew({ name, official, ...own }: Partial<NewTemplate>): readonly Fault[] {
  if (!official) return name === undefined ? [NAME_NEEDED] : [];
  return Object.keys(own).map((path) => ({ path, ...NOT_BOTH }));
}

const NAME_NEEDED: Fault = { path: 'name', en: 'name is required', id: 'name wajib diisi' };
const NOT_BOTH = {
  en: 'an official template must have its content in official.components',
  id: 'isi templat resmi harus ada di official.components',
};
const OF_VENDOR = {
  en: 'the platform has approved this content: you can change only the name',
  id: 'isinya sudah disetujui platform: Anda hanya dapat mengubah namanya',
};

const TEMPLATES = { en: 'templates', id: 'templat' };
const TAKEN = { en: 'a template with this name already exists', id: 'templat dengan nama ini sudah ada' };
