import Joi from 'joi';
import { beyondLimit } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { ATTRIBUTE_KEY } from '../../../actors/domain/text-tokens.ts';
import type { ContactDeps } from '../../../actors/services/contacts/contacts.ts';
import { DEFAULT_COLOR, MAX_LABELS, newAttribute, newGroup, newTag, tagKey } from '../../../actors/services/contacts/labels.ts';
import type { Safe } from '../../../runtime/safe-text.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import { ATTRIBUTE_TYPES, type AttributeRow, type GroupRow, type Label, type Labels, type TagRow } from '../../../store/contacts/labels.ts';
import { type AnyRow, type Area, rowsFor } from '../../core/row.ts';
import { Done, Timestamp, Ulid } from '../../core/schemas.ts';
import { LabelName } from './schemas.ts';

export interface LabelServices extends Pick<ContactDeps, 'labels'> {
  /** Resolves once the label's removal from all contacts is durable. */
  forget(tenantId: string, kind: LabelKind, labelId: string, now: number): Promise<void>;
}

export type LabelKind = 'groups' | 'tags' | 'attributes';

interface Trade<T extends Label, B> {
  readonly kind: LabelKind;
  readonly path: string;
  readonly name: string;
  readonly called: string;
  readonly examples: Readonly<Record<'created' | 'changed', Readonly<Record<string, unknown>>>>;
  readonly shown: Joi.ObjectSchema;
  readonly created: Joi.ObjectSchema<B>;
  readonly changed: Joi.ObjectSchema<Partial<B>>;
  labels(services: LabelServices): Labels<T>;
  make(tenantId: string, body: Safe<B>, now: number): T;
  patch(body: Safe<Partial<B>>): Partial<T>;
}

const Color = Joi.string()
  .pattern(/^#[0-9a-f]{6}$/i)
  .example('#d4a017');
const Type = Joi.string().valid(...ATTRIBUTE_TYPES);
const LabelText = Joi.string().trim().min(1).max(100).example('City');
const stamps = { created_at: Timestamp.required(), updated_at: Timestamp.required() };
const oneLabel = Joi.object<{ id: string }>({ id: Ulid.required() });
const row = rowsFor<LabelServices>();

const groups: Trade<GroupRow, { name: string }> = {
  kind: 'groups',
  path: '/v1/contact-groups',
  name: 'ContactGroup',
  called: 'a contact group',
  examples: { created: { name: 'Suppliers' }, changed: { name: 'Partners' } },
  shown: Joi.object({ id: Ulid.required(), name: Joi.string().required(), ...stamps }).meta({ title: 'ContactGroup' }),
  created: Joi.object({ name: LabelName.required() }),
  changed: Joi.object({ name: LabelName }).min(1),
  labels: ({ labels }) => labels.groups,
  make: (tenantId, { name }, now) => newGroup(tenantId, name, now),
  patch: ({ name }) => (name === undefined ? {} : { name: name.trim(), key: folded(name) }),
};

const tags: Trade<TagRow, { name: string; color?: string }> = {
  kind: 'tags',
  path: '/v1/tags',
  name: 'Tag',
  called: 'a tag',
  examples: { created: { name: 'Wholesale', color: '#d4a017' }, changed: { name: 'Retail' } },
  shown: Joi.object({ id: Ulid.required(), name: Joi.string().required(), color: Joi.string().required(), ...stamps }).meta({
    title: 'Tag',
  }),
  created: Joi.object({ name: LabelName.required(), color: Color.meta({ default: DEFAULT_COLOR }) }),
  changed: Joi.object({ name: LabelName, color: Color }).min(1),
  labels: ({ labels }) => labels.tags,
  make: (tenantId, { name, color = DEFAULT_COLOR }, now) => newTag(tenantId, name, color.toLowerCase(), now),
  patch: ({ name, color }) => ({
    ...(name !== undefined && { name: name.trim(), key: tagKey(name) }),
    ...(color !== undefined && { color: color.toLowerCase() }),
  }),
};

const attributes: Trade<AttributeRow, { key: string; label?: string; type?: AttributeRow['type'] }> = {
  kind: 'attributes',
  path: '/v1/attributes',
  name: 'Attribute',
  called: 'an attribute',
  examples: { created: { key: 'birthday', label: 'Birthday' }, changed: { label: 'Date of birth' } },
  shown: Joi.object({
    id: Ulid.required(),
    key: Joi.string().required(),
    label: Joi.string().required(),
    type: Type.required(),
    ...stamps,
  }).meta({ title: 'Attribute' }),
  created: Joi.object({
    key: Joi.string()
      .pattern(ATTRIBUTE_KEY)
      .required()
      .description('The key never changes. Texts use it as `{attr.<key>}`')
      .example('city'),
    label: LabelText.description('Default: the key'),
    type: Type.meta({ default: 'text' }).description('How the attribute is shown and edited. Values are always stored as text'),
  }),
  changed: Joi.object({ label: LabelText, type: Type }).min(1),
  labels: ({ labels }) => labels.attributes,
  make: (tenantId, { key, label = key, type = 'text' }, now) => newAttribute(tenantId, { key, label, type }, now),
  patch: ({ label, type }) => ({ ...(label !== undefined && { label }), ...(type !== undefined && { type }) }),
};

export const labels: Area<LabelServices> = {
  name: 'contact words',
  about:
    `Groups, tags and attributes of contacts: at most ${MAX_LABELS.groups}, ${MAX_LABELS.tags} and ${MAX_LABELS.attributes}. Names that differ only in letter case ` +
    'are the same. Removing one removes it from every contact at once',
  rows: [...rowsOf(groups), ...rowsOf(tags), ...rowsOf(attributes)],
};

function rowsOf<T extends Label, B>(trade: Trade<T, B>): readonly AnyRow<LabelServices>[] {
  const { kind, path, name, called, shown, created, changed, examples } = trade;
  const plural = kind === 'groups' ? 'contact_groups' : kind;
  const thing = name === 'ContactGroup' ? 'contact_group' : name.toLowerCase();
  return [
    row({
      id: `list${name}s`,
      list: { of: plural },
      method: 'GET',
      path,
      summary: `List ${plural.replace('_', ' ')}`,
      about: `List ${plural.replace('_', ' ')}, sorted by name`,
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      status: 200,
      returns: Joi.object({ [plural]: Joi.array().items(shown).required() }),
      run: async (services, { caller }) => ({ [plural]: (await trade.labels(services).list(caller.tenantId)).map(toShown) }),
    }),
    row({
      id: `create${name}`,
      method: 'POST',
      path,
      summary: `Create ${called}`,
      example: examples.created,
      about: 'Returns CONFLICT if the name is already taken',
      audit: { action: `${thing}.create`, on: plural },
      stepUp: { none: 'organizes contacts; grants no access' },
      access: 'bearer',
      body: created,
      status: 201,
      returns: shown,
      refuses: ['CONFLICT', 'LIMIT_REACHED'],
      async run(services, { caller: { tenantId }, body, now }) {
        const made = trade.make(tenantId, body, now);
        const outcome = await trade.labels(services).add(made, MAX_LABELS[kind]);
        if (outcome === 'full') throw beyondLimit(MAX_LABELS[kind], NAMES[kind]);
        if (outcome === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
        return toShown(made);
      },
    }),
    row({
      id: `change${name}`,
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: `Update ${called}`,
      example: examples.changed,
      about: 'The change applies to all contacts at once',
      audit: { action: `${thing}.update`, on: plural },
      stepUp: { none: 'organizes contacts; grants no access' },
      access: 'bearer',
      params: oneLabel,
      body: changed,
      status: 200,
      returns: shown,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      async run(services, { caller, params, body, now }) {
        const after = await trade.labels(services).change(caller.tenantId, params.id, { ...trade.patch(body), updated_at: now });
        if (after === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
        if (!after) throw refusal('NOT_FOUND');
        return toShown(after);
      },
    }),
    row({
      id: `delete${name}`,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: `Delete ${called}`,
      about: `The ${called.replace(/^an? /, '')} is removed from every contact`,
      audit: { action: `${thing}.delete`, on: 'jobs' },
      stepUp: { none: 'organizes contacts; grants no access' },
      access: 'bearer',
      params: oneLabel,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND', 'OVERLOADED'],
      async run(services, { caller: { tenantId }, params, now }) {
        if (!(await trade.labels(services).find(tenantId, params.id))) throw refusal('NOT_FOUND');
        await services.forget(tenantId, kind, params.id, now);
        return { ok: true as const };
      },
    }),
  ];
}

type Shown = Partial<Pick<AttributeRow, 'key' | 'spelled'>> & { readonly earlier?: unknown };

function toShown<T extends Label>({ _id, tenant_id: _tenant, place: _place, ...shown }: T): object {
  const { key, spelled = key, earlier: _earlier, ...rest }: Shown = shown;
  return { id: _id, ...('label' in rest ? { key: spelled } : {}), ...rest };
}

const TAKEN = { en: 'this name is already taken', id: 'nama ini sudah dipakai' };

const NAMES = {
  groups: { en: 'contact groups', id: 'grup kontak' },
  tags: { en: 'tags', id: 'tag' },
  attributes: { en: 'attributes', id: 'atribut' },
} as const;
