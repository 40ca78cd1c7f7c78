import Joi from 'joi';
import { type AudiencePorts, countOf, pageOf } from '../../actors/crm/audience.ts';
import { toContact } from '../../actors/crm/contacts.ts';
import { looking } from '../../actors/crm/looking.ts';
import { compileSegment } from '../../actors/crm/segment-query.ts';
import { checkRules, FIELD_OPS, MOST_RULES, MOST_VALUES, OPS, type Rules } from '../../actors/crm/segment-rules.ts';
import { vocabularyOf } from '../../actors/crm/vocabulary.ts';
import { refusal } from '../../actors/refusals.ts';
import { newId } from '../../runtime/ids.ts';
import { folded } from '../../store/contacts.ts';
import type { SegmentRow } from '../../store/words.ts';
import { type Area, type Call, rowsFor } from '../row.ts';
import { Done, paging, Timestamp, Ulid } from '../schemas.ts';
import { ContactSchema, LONGEST_VALUE, WordName } from './contact-schemas.ts';
import { ContactsSchema, toPage } from './contacts.ts';

interface Segment {
  readonly id: string;
  readonly name: string;
  readonly rules: Rules;
  readonly created_at: number;
  readonly updated_at: number;
}

interface PageQuery {
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const MOST_SEGMENTS = 200;
const SAMPLE = 10;

const Text = Joi.string().min(1).max(LONGEST_VALUE);
const RuleSchema = Joi.object({
  field: Joi.string().max(60).required().example('tag'),
  op: Joi.string()
    .valid(...OPS)
    .required()
    .example('is'),
  value: Joi.alternatives(Text, Joi.number(), Joi.boolean(), Joi.array().items(Text).min(1).max(MOST_VALUES)).example('VIP'),
});
const RuleList = Joi.array().items(RuleSchema).min(1).max(MOST_RULES);
const RulesSchema = Joi.object<Rules>({ all: RuleList, any: RuleList })
  .xor('all', 'any')
  .description(
    'Who belongs: for whom all of the rules hold, or any of them. ' +
      Object.entries(FIELD_OPS)
        .map(([field, ops]) => `\`${field}\`: ${ops.join(', ')}`)
        .join('; ') +
      '. `in` takes a list, `exists` true (default) or false, `within_days` a count of days, `gt` and `lt` a number, epoch ms or an ISO date; letter case does not matter',
  )
  .example({ all: [{ field: 'tag', op: 'is', value: 'VIP' }] });

const SegmentSchema = Joi.object<Segment>({
  id: Ulid.required(),
  name: Joi.string().required(),
  rules: RulesSchema.required(),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'Segment' });

const oneSegment = Joi.object<{ id: string }>({ id: Ulid.required().description('The segment') });
const row = rowsFor<AudiencePorts>();

export const segments: Area<AudiencePorts> = {
  name: 'segments',
  about: `Questions about contacts under a name, at most ${MOST_SEGMENTS}: who belongs is looked up whenever it is asked`,
  rows: [
    row({
      id: 'listSegments',
      method: 'GET',
      path: '/v1/segments',
      summary: 'All segments, by name',
      access: 'bearer',
      status: 200,
      returns: Joi.object({ segments: Joi.array().items(SegmentSchema).required() }),
      run: async ({ words }, { caller }) => ({ segments: (await words.segments.list(caller.tenantId)).map(toSegment) }),
    }),
    row({
      id: 'createSegment',
      method: 'POST',
      path: '/v1/segments',
      summary: 'Make a segment; CONFLICT when there is one of this name',
      access: 'bearer',
      body: Joi.object<Pick<Segment, 'name' | 'rules'>>({ name: WordName.required(), rules: RulesSchema.required() }),
      status: 201,
      returns: SegmentSchema,
      refuses: ['CONFLICT', 'LIMIT_REACHED'],
      run: create,
    }),
    row({
      id: 'previewSegment',
      method: 'POST',
      path: '/v1/segments/preview',
      summary: `How many belong, and the newest of them, up to ${SAMPLE}; nothing is stored`,
      access: 'bearer',
      scope: 'read',
      body: Joi.object<{ rules: Rules }>({ rules: RulesSchema.required() }),
      status: 200,
      returns: Joi.object({ count: Joi.number().integer().required(), sample: Joi.array().items(ContactSchema).required() }),
      refuses: ['OVERLOADED'],
      run: (world, call) => looking.during(() => preview(world, call)),
    }),
    row({
      id: 'getSegment',
      method: 'GET',
      path: '/v1/segments/{id}',
      summary: 'One segment',
      access: 'bearer',
      params: oneSegment,
      status: 200,
      returns: SegmentSchema,
      refuses: ['NOT_FOUND'],
      run: async (world, { caller, params }) => toSegment(await found(world, caller.tenantId, params.id)),
    }),
    row({
      id: 'changeSegment',
      method: 'PATCH',
      path: '/v1/segments/{id}',
      summary: 'Change the name or all of the rules',
      access: 'bearer',
      params: oneSegment,
      body: Joi.object<Partial<Pick<Segment, 'name' | 'rules'>>>({ name: WordName, rules: RulesSchema }).min(1),
      status: 200,
      returns: SegmentSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: change,
    }),
    row({
      id: 'deleteSegment',
      method: 'DELETE',
      path: '/v1/segments/{id}',
      summary: 'Remove a segment; its contacts stay',
      access: 'bearer',
      params: oneSegment,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(world, { caller: { tenantId }, params }) {
        await found(world, tenantId, params.id);
        await world.words.segments.remove(tenantId, params.id);
        return { ok: true as const };
      },
    }),
    row({
      id: 'listSegmentContacts',
      method: 'GET',
      path: '/v1/segments/{id}/contacts',
      summary: 'Who belongs to it, newest first. Where a rule needs a look at each contact a page may hold fewer than `limit`, or none',
      access: 'bearer',
      params: oneSegment,
      query: Joi.object<PageQuery>(paging).with('before_id', 'before'),
      status: 200,
      returns: ContactsSchema,
      refuses: ['NOT_FOUND'],
      run: members,
    }),
  ],
};

async function create(
  { words }: AudiencePorts,
  { caller: { tenantId }, body: { name, rules }, now }: Call<unknown, unknown, Pick<Segment, 'name' | 'rules'>>,
): Promise<Segment> {
  checkRules(rules);
  if ((await words.segments.list(tenantId)).length >= MOST_SEGMENTS) throw refusal('LIMIT_REACHED');
  const made: SegmentRow = { _id: newId(now), tenant_id: tenantId, key: folded(name), name, rules, created_at: now, updated_at: now };
  if (!(await words.segments.add(made))) throw refusal('CONFLICT', { reason: TAKEN });
  return toSegment(made);
}

async function change(
  { words }: AudiencePorts,
  { caller, params, body, now }: Call<{ id: string }, unknown, Partial<Pick<Segment, 'name' | 'rules'>>>,
): Promise<Segment> {
  const { name, rules } = body;
  if (rules) checkRules(rules);
  const patch = { ...(rules && { rules }), ...(name !== undefined && { name, key: folded(name) }), updated_at: now };
  const changed = await words.segments.change(caller.tenantId, params.id, patch);
  if (changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
  if (!changed) throw refusal('NOT_FOUND');
  return toSegment(changed);
}

async function preview(world: AudiencePorts, { caller: { tenantId }, body: { rules }, now }: Call<unknown, unknown, { rules: Rules }>) {
  checkRules(rules);
  const vocabulary = await vocabularyOf(world.words, tenantId);
  const query = compileSegment(rules, vocabulary, now);
  const count = await countOf(world, tenantId, query);
  const { rows } = await pageOf(world, tenantId, query, { limit: SAMPLE, before: null, beforeId: null });
  return { count, sample: rows.map((one) => toContact(one, vocabulary)) };
}

async function members(world: AudiencePorts, { caller: { tenantId }, params, query, now }: Call<{ id: string }, PageQuery, unknown>) {
  const { rules } = await found(world, tenantId, params.id);
  const { limit, before = null, before_id: beforeId = null } = query;
  const vocabulary = await vocabularyOf(world.words, tenantId);
  return toPage(await pageOf(world, tenantId, compileSegment(rules, vocabulary, now), { limit, before, beforeId }), vocabulary);
}

async function found({ words }: AudiencePorts, tenantId: string, id: string): Promise<SegmentRow> {
  const segment = await words.segments.find(tenantId, id);
  if (!segment) throw refusal('NOT_FOUND');
  return segment;
}

const toSegment = ({ _id: id, name, rules, created_at, updated_at }: SegmentRow): Segment => ({ id, name, rules, created_at, updated_at });

const TAKEN = { en: 'there is a segment of this name', id: 'segmen dengan nama ini sudah ada' };
