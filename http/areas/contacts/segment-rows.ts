import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import { beyondLimit } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type AudienceDeps, countOf, pageOf } from '../../../actors/services/contacts/audience.ts';
import { type ShowingContactDeps, toContacts } from '../../../actors/services/contacts/contacts.ts';
import { expectListable, type LabelIndex, labelIndexOf } from '../../../actors/services/contacts/labels.ts';
import { withNumbersRead } from '../../../actors/services/contacts/segment-phones.ts';
import { compileSegment } from '../../../actors/services/contacts/segment-query.ts';
import { FIELD_OPS, faultsOfRules, MAX_RULES, MAX_VALUES, OPS, type Rules } from '../../../actors/services/contacts/segment-rules.ts';
import { rulesNow, shownRules, withTagIds } from '../../../actors/services/contacts/tag-references.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import { newId } from '../../../runtime/ids.ts';
import { folded } from '../../../store/contacts/contacts.ts';
import type { SegmentRow } from '../../../store/contacts/labels.ts';
import { pageIn } from '../../core/paging.ts';
import { type Area, type Call, rowsFor } from '../../core/row.ts';
import { Done, paging, Timestamp, Ulid } from '../../core/schemas.ts';
import { ContactsSchema, toPage } from './rows.ts';
import { ContactSchema, LabelName, LONGEST_VALUE } from './schemas.ts';

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

const MAX_SEGMENTS = 200;
const SAMPLE = 10;

const Text = Joi.string().min(1).max(LONGEST_VALUE);
const RuleSchema = Joi.object({
  field: Joi.string().max(60).required().example('tag'),
  op: Joi.string()
    .valid(...OPS)
    .required()
    .example('is'),
  value: Joi.alternatives(Text, Joi.number(), Joi.boolean(), Joi.array().items(Text).min(1).max(MAX_VALUES)).example('VIP'),
}).meta({ title: 'SegmentRule' });
const RuleList = Joi.array().items(RuleSchema).min(1).max(MAX_RULES);
const RulesSchema = Joi.object<Rules>({ all: RuleList, any: RuleList })
  .xor('all', 'any')
  .meta({ title: 'SegmentRules' })
  .description(
    'Contacts that match all of the rules, or any of them. ' +
      Object.entries(FIELD_OPS)
        .map(([field, ops]) => `\`${field}\`: ${ops.join(', ')}`)
        .join('; ') +
      '. `in` takes a list, `exists` true (default) or false, `within_days` a number of days, `gt` and `lt` a number, epoch ms or an ISO date. Letter case does not matter',
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
interface SegmentServices extends AudienceDeps, ShowingContactDeps {
  readonly numbers: NumberReader;
}

const row = rowsFor<SegmentServices>();
const faultsIn = ({ rules }: { readonly rules?: Rules }) => (rules ? faultsOfRules(rules) : []);

export const segments: Area<SegmentServices> = {
  name: 'segments',
  about: `Named filters for contacts, at most ${MAX_SEGMENTS}. The matching contacts are determined at each request`,
  rows: [
    row({
      id: 'listSegments',
      list: { of: 'segments' },
      method: 'GET',
      path: '/v1/segments',
      summary: 'List segments by name',
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      status: 200,
      returns: Joi.object({ segments: Joi.array().items(SegmentSchema).required() }),
      async run({ labels }, { caller: { tenantId } }) {
        const [rows, labelIndex] = await Promise.all([labels.segments.list(tenantId), labelIndexOf(labels, tenantId)]);
        return { segments: rows.map((one) => toSegment(one, labelIndex)) };
      },
    }),
    row({
      id: 'createSegment',
      method: 'POST',
      path: '/v1/segments',
      summary: 'Create a segment',
      about: 'Returns CONFLICT if the name is already taken',
      audit: { action: 'segment.create', on: 'segments' },
      stepUp: { none: 'organizes contacts; grants no access' },
      access: 'bearer',
      heavy: true,
      body: Joi.object<Pick<Segment, 'name' | 'rules'>>({ name: LabelName.required(), rules: RulesSchema.required() }),
      check: faultsIn,
      status: 201,
      returns: SegmentSchema,
      refuses: ['CONFLICT', 'LIMIT_REACHED'],
      run: create,
    }),
    row({
      id: 'previewSegment',
      method: 'POST',
      path: '/v1/segments/preview',
      summary: 'Preview a segment',
      about: `Count the contacts that match, and show the newest ${SAMPLE}. Nothing is stored`,
      audit: { none: 'changes nothing' },
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      scope: 'read',
      body: Joi.object<{ rules: Rules }>({ rules: RulesSchema.required() }),
      check: faultsIn,
      status: 200,
      returns: Joi.object({ count: Joi.number().integer().required(), sample: Joi.array().items(ContactSchema).required() }),
      refuses: ['OVERLOADED'],
      run: preview,
    }),
    row({
      id: 'getSegment',
      method: 'GET',
      path: '/v1/segments/{id}',
      summary: 'Get a segment',
      access: 'bearer',
      deviceKeys: true,
      params: oneSegment,
      status: 200,
      returns: SegmentSchema,
      refuses: ['NOT_FOUND'],
      run: async (services, { caller, params }) => shown(services, await found(services, caller.tenantId, params.id)),
    }),
    row({
      id: 'changeSegment',
      method: 'PATCH',
      path: '/v1/segments/{id}',
      summary: 'Update a segment',
      example: { name: 'Regular customers' },
      about: 'Update the name, or replace all rules',
      audit: { action: 'segment.update', on: 'segments' },
      stepUp: { none: 'organizes contacts; grants no access' },
      access: 'bearer',
      heavy: true,
      params: oneSegment,
      body: Joi.object<Partial<Pick<Segment, 'name' | 'rules'>>>({ name: LabelName, rules: RulesSchema }).min(1),
      check: faultsIn,
      status: 200,
      returns: SegmentSchema,
      refuses: ['NOT_FOUND', 'CONFLICT', 'LIMIT_REACHED'],
      run: change,
    }),
    row({
      id: 'deleteSegment',
      method: 'DELETE',
      path: '/v1/segments/{id}',
      summary: 'Delete a segment',
      about: 'The contacts are kept',
      audit: { action: 'segment.delete', on: 'segments' },
      stepUp: { none: 'organizes contacts; grants no access' },
      access: 'bearer',
      params: oneSegment,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(services, { caller: { tenantId }, params }) {
        await found(services, tenantId, params.id);
        await services.labels.segments.remove(tenantId, params.id);
        return { ok: true as const };
      },
    }),
    row({
      id: 'listSegmentContacts',
      method: 'GET',
      path: '/v1/segments/{id}/contacts',
      summary: "List a segment's contacts",
      about: 'List the contacts of a segment, newest first',
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
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
  { labels, numbers }: SegmentServices,
  { caller, body: { name, ...body }, now }: Call<unknown, unknown, Pick<Segment, 'name' | 'rules'>>,
): Promise<Segment> {
  const { tenantId } = caller;
  const written = { rules: await withNumbersRead(numbers, caller, body.rules), updated_at: now };
  const labelIndex = await labelIndexOf(labels, tenantId);
  const rules = withTagIds(written, labelIndex);
  const made: SegmentRow = { _id: newId(now), tenant_id: tenantId, key: folded(name), name, rules, created_at: now, updated_at: now };
  await expectListable(labels.segments, made, null, SEGMENTS);
  const outcome = await labels.segments.add(made, MAX_SEGMENTS);
  if (outcome === 'full') throw beyondLimit(MAX_SEGMENTS, SEGMENTS);
  if (outcome === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
  return toSegment(made, labelIndex);
}

async function change(
  services: SegmentServices,
  { caller, params, body, now }: Call<{ id: string }, unknown, Partial<Pick<Segment, 'name' | 'rules'>>>,
): Promise<Segment> {
  const written = body.rules && (await withNumbersRead(services.numbers, caller, body.rules));
  for (;;) {
    const before = await found(services, caller.tenantId, params.id);
    const labelIndex = await labelIndexOf(services.labels, caller.tenantId);
    const { patch, asRead } = patchOf(before, { ...body, rules: written }, labelIndex, now);
    await expectListable(services.labels.segments, { ...before, ...patch }, before, SEGMENTS);
    const changed = await services.labels.segments.change(caller.tenantId, params.id, patch, asRead);
    if (changed === 'taken') throw refusal('CONFLICT', { reason: TAKEN });
    if (changed) return toSegment(changed, labelIndex);
  }
}

/**
 * Adds tag ids to rules that lack them. Tag names are resolved as of `updated_at`, because a name
 * may have been reused since.
 */
function patchOf(
  before: SegmentRow,
  { name, rules }: { readonly name?: string; readonly rules: Rules | undefined },
  labelIndex: LabelIndex,
  now: number,
) {
  const named = { ...(name !== undefined && { name, key: folded(name) }), updated_at: now };
  if (rules) return { patch: { ...named, rules: withTagIds({ rules, updated_at: now }, labelIndex) }, asRead: {} };
  const completed = withTagIds(before, labelIndex);
  return isDeepStrictEqual(completed, before.rules)
    ? { patch: named, asRead: {} }
    : { patch: { ...named, rules: completed }, asRead: { updated_at: before.updated_at } };
}

async function preview(services: SegmentServices, { caller, body, now }: Call<unknown, unknown, { rules: Rules }>) {
  const { tenantId } = caller;
  const rules = await withNumbersRead(services.numbers, caller, body.rules);
  const labelIndex = await labelIndexOf(services.labels, tenantId);
  const query = compileSegment(rules, labelIndex, now);
  const count = await countOf(services, tenantId, query);
  const page = { limit: SAMPLE, before: null, beforeId: null };
  const { entries } = await pageOf(services, tenantId, query, { page }, (some) => toContacts(services, tenantId, some, labelIndex));
  return { count, sample: entries };
}

async function members(services: SegmentServices, { caller: { tenantId }, params, query, now }: Call<{ id: string }, PageQuery, unknown>) {
  const segment = await found(services, tenantId, params.id);
  const labelIndex = await labelIndexOf(services.labels, tenantId);
  const rules = rulesNow(segment, labelIndex);
  const asked = { page: pageIn(query) };
  return toPage(
    await pageOf(services, tenantId, compileSegment(rules, labelIndex, now), asked, (some) =>
      toContacts(services, tenantId, some, labelIndex),
    ),
  );
}

async function found({ labels }: AudienceDeps, tenantId: string, id: string): Promise<SegmentRow> {
  const segment = await labels.segments.find(tenantId, id);
  if (!segment) throw refusal('NOT_FOUND');
  return segment;
}

const shown = async ({ labels }: AudienceDeps, row: SegmentRow): Promise<Segment> =>
  toSegment(row, await labelIndexOf(labels, row.tenant_id));

function toSegment(row: SegmentRow, labelIndex: LabelIndex): Segment {
  const { _id: id, name, created_at, updated_at } = row;
  return { id, name, rules: shownRules(row, labelIndex), created_at, updated_at };
}

const SEGMENTS = { en: 'segments', id: 'segmen' };
const TAKEN = { en: 'a segment with this name already exists', id: 'segmen dengan nama ini sudah ada' };
