import Joi from 'joi';
import type { CrmPorts } from '../../actors/crm/contacts.ts';
import { DEFAULT_COLOR, MOST_WORDS, newAttribute, newGroup, newTag, tagKey } from '../../actors/crm/vocabulary.ts';
import { refusal } from '../../actors/refusals.ts';
import { ATTRIBUTE_KEY } from '../../actors/tokens.ts';
import { folded } from '../../store/contacts.ts';
import { ATTRIBUTE_TYPES, type AttributeRow, type GroupRow, type TagRow, type Word, type Words } from '../../store/words.ts';
import { type AnyRow, type Area, rowsFor } from '../row.ts';
import { Done, Timestamp, Ulid } from '../schemas.ts';
import { WordName } from './contact-schemas.ts';

export interface WordsWorld extends Pick<CrmPorts, 'words'> {
  /** Takes a word that was removed off all contacts; durable when it resolves. */
  forget(tenantId: string, kind: WordKind, wordId: string, now: number): Promise<void>;
}

export type WordKind = 'groups' | 'tags' | 'attributes';

/** What one kind of word is to callers. */
interface Trade<T extends Word, B> {
  readonly kind: WordKind;
  readonly path: string;
  /** In ids of operations: `Tag`, and its plural `Tags`. */
  readonly name: string;
  /** In summaries. */
  readonly called: string;
  readonly shown: Joi.ObjectSchema;
  readonly created: Joi.ObjectSchema<B>;
  readonly changed: Joi.ObjectSchema<Partial<B>>;
  words(world: WordsWorld): Words<T>;
  make(tenantId: string, body: B, now: number): T;
  /** What a change of these fields is in the row. */
  patch(body: Partial<B>): Partial<T>;
}

const Color = Joi.string()
  .pattern(/^#[0-9a-f]{6}$/i)
  .example('#d4a017');
const Type = Joi.string().valid(...ATTRIBUTE_TYPES);
const Label = Joi.string().trim().min(1).max(100).example('City');
const stamps = { created_at: Timestamp.required(), updated_at: Timestamp.required() };
const oneWord = Joi.object<{ id: string }>({ id: Ulid.required() });
const row = rowsFor<WordsWorld>();

const groups: Trade<GroupRow, { name: string }> = {
  kind: 'groups',
  path: '/v1/contact-groups',
  name: 'ContactGroup',
  called: 'contact group',
  shown: Joi.object({ id: Ulid.required(), name: Joi.string().required(), ...stamps }).meta({ title: 'ContactGroup' }),
  created: Joi.object({ name: WordName.required() }),
  changed: Joi.object({ name: WordName }).min(1),
  words: ({ words }) => words.groups,
  make: (tenantId, { name }, now) => newGroup(tenantId, name, now),
  patch: ({ name }) => (name === undefined ? {} : { name: name.trim(), key: folded(name) }),
};

const tags: Trade<TagRow, { name: string; color?: string }> = {
  kind: 'tags',
  path: '/v1/tags',
  name: 'Tag',
  called: 'tag',
  shown: Joi.object({ id: Ulid.required(), name: Joi.string().required(), color: Joi.string().required(), ...stamps }).meta({
    title: 'Tag',
  }),
  created: Joi.object({ name: WordName.required(), color: Color.description(`Default ${DEFAULT_COLOR}`) }),
  changed: Joi.object({ name: WordName, color: Color }).min(1),
  words: ({ words }) => words.tags,
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
  called: 'attribute',
  shown: Joi.object({
    id: Ulid.required(),
    key: Joi.string().required(),
    label: Joi.string().required(),
    type: Type.required(),
    ...stamps,
  }).meta({ title: 'Attribute' }),
  created: Joi.object({
    key: Joi.string().pattern(ATTRIBUTE_KEY).required().description('Never changes: texts say `{attr.<key>}`').example('city'),
    label: Label.description('Default: the key'),
    type: Type.description('How it is shown and edited; values are texts. Default text'),
  }),
  changed: Joi.object({ label: Label, type: Type }).min(1),
  words: ({ words }) => words.attributes,
  make: (tenantId, { key, label = key, type = 'text' }, now) => newAttribute(tenantId, { key, label, type }, now),
  patch: ({ label, type }) => ({ ...(label !== undefined && { label }), ...(type !== undefined && { type }) }),
};

export const words: Area<WordsWorld> = {
  name: 'contact words',
  about:
    `Groups, tags and attributes of contacts: at most ${MOST_WORDS.groups}, ${MOST_WORDS.tags} and ${MOST_WORDS.attributes}. Letter case does ` +
    'not make another one. Removing one takes it off every contact at once',
  rows: [...rowsOf(groups), ...rowsOf(tags), ...rowsOf(attributes)],
};

/** List, create, change, delete. */
function rowsOf<T extends Word, B>(trade: Trade<T, B>): readonly AnyRow<WordsWorld>[] {
  const { kind, path, name, called, shown, created, changed } = trade;
  const plural = path === '/v1/contact-groups' ? 'contact_groups' : kind;
  return [
    row({
      id: `list${name}s`,
      method: 'GET',
      path,
      summary: `All ${called}s, by name`,
      access: 'bearer',
      status: 200,
      returns: Joi.object({ [plural]: Joi.array().items(shown).required() }),
      run: async (world, { caller }) => ({ [plural]: (await trade.words(world).list(caller.tenantId)).map(toShown) }),
    }),
    row({
      id: `create${name}`,
      method: 'POST',
      path,
      summary: `Make a ${called}; CONFLICT when there is one of this name`,
      access: 'bearer',
      body: created,
      status: 201,
      returns: shown,
      refuses: ['CONFLICT', 'LIMIT_REACHED'],
      async run(world, { caller: { tenantId }, body, now }) {
        if ((await trade.words(world).list(tenantId)).length >= MOST_WORDS[kind]) throw refusal('LIMIT_REACHED');
        const made = trade.make(tenantId, body, now);
        if (!(await trade.words(world).add(made))) throw refusal('CONFLICT', { reason: TAKEN });
        return toShown(made);
      },
    }),
    row({
      id: `change${name}`,
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: `Change a ${called}, for all contacts at once`,
      access: 'bearer',
      params: oneWord,
      body: changed,
      status: 200,
      returns: shown,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      async run(world, { caller, params, body, now }) {
        const after = await trade.words(world).change(caller.tenantId, params.id, { ...trade.patch(body), updated_at: now });
        if (after === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
        if (!after) throw refusal('NOT_FOUND');
        return toShown(after);
      },
    }),
    row({
      id: `delete${name}`,
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: `Remove a ${called}: it is gone from every contact`,
      access: 'bearer',
      agents: false,
      params: oneWord,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(world, { caller: { tenantId }, params, now }) {
        if (!(await trade.words(world).find(tenantId, params.id))) throw refusal('NOT_FOUND');
        await world.forget(tenantId, kind, params.id, now);
        return { ok: true as const };
      },
    }),
  ];
}

function toShown<T extends Word>({ _id, tenant_id: _tenant, ...shown }: T): object {
  const { key, ...rest } = shown;
  return { id: _id, ...('label' in rest ? { key } : {}), ...rest };
}

const TAKEN = { en: 'there is one of this name', id: 'nama ini sudah dipakai' };
