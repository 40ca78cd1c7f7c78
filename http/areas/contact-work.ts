import Joi from 'joi';
import { type AudiencePorts, batchOf, queryOf } from '../../actors/crm/audience.ts';
import { A_STEP, act } from '../../actors/crm/chores.ts';
import type { Clerical } from '../../actors/crm/clerical.ts';
import { scribeOf, toContact, VARS } from '../../actors/crm/contacts.ts';
import { type Scribe, tagIdsFor, tagKey, vocabularyOf } from '../../actors/crm/vocabulary.ts';
import { refusal } from '../../actors/refusals.ts';
import { BULK_ACTIONS, type BulkAction, type ChoreRow } from '../../store/chores.ts';
import { type Cell, csv } from '../csv.ts';
import { type Area, type Call, Raw, rowsFor } from '../row.ts';
import { Ulid } from '../schemas.ts';
import { type ContactQuery, filters, WordName } from './contact-schemas.ts';

export interface ContactWorkWorld extends AudiencePorts {
  readonly clerical: Clerical;
}

interface BulkOrder {
  readonly action: BulkAction;
  readonly ids?: readonly string[];
  readonly segment_id?: string;
  readonly value?: string | null;
}

/** What became of a bulk action. `id` is null where it was done at once. */
interface BulkResult {
  readonly id: string | null;
  readonly status: ChoreRow['status'];
  readonly changed: number;
}

const MOST_IDS = 10_000;
const EXPORTED_AT_ONCE = 500;

const ResultSchema = Joi.object<BulkResult>({
  id: Ulid.allow(null).required().description('Of the work that goes on; null where all is done'),
  status: Joi.string().valid('queued', 'running', 'done', 'failed').required(),
  changed: Joi.number().integer().required().description('Contacts changed so far'),
}).meta({ title: 'BulkResult' });

const row = rowsFor<ContactWorkWorld>();

export const contactWork: Area<ContactWorkWorld> = {
  name: 'contact work',
  about: 'The same for many contacts at once, and all of them as a file',
  rows: [
    row({
      id: 'changeContacts',
      method: 'POST',
      path: '/v1/contacts/bulk',
      summary:
        'Tag, untag, set the group of or delete contacts: `value` names the tag (made when it does not exist) or is the id of the group (null: none). ' +
        'With `ids` all is done when it is answered; everybody of a segment is seen to afterwards (202)',
      access: 'bearer',
      agents: false,
      limit: 'bulk',
      body: Joi.object<BulkOrder>({
        action: Joi.string()
          .valid(...BULK_ACTIONS)
          .required()
          .example('tag'),
        ids: Joi.array().items(Ulid).min(1).max(MOST_IDS).unique(),
        segment_id: Ulid,
        value: WordName.allow(null),
      }).xor('ids', 'segment_id'),
      status: 200,
      returns: ResultSchema,
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      run: changeMany,
    }),
    row({
      id: 'getContactsBulk',
      method: 'GET',
      path: '/v1/contacts/bulk/{id}',
      summary: 'How far a bulk action over a segment is; kept for 30 days after its end',
      access: 'bearer',
      agents: false,
      params: Joi.object<{ id: string }>({ id: Ulid.required() }),
      status: 200,
      returns: ResultSchema,
      refuses: ['NOT_FOUND'],
      async run({ clerical }, { caller, params }) {
        const chore = await clerical.find(caller.tenantId, params.id);
        if (chore?.kind !== 'bulk') throw refusal('NOT_FOUND');
        return { id: chore._id, status: chore.status, changed: chore.changed };
      },
    }),
    row({
      id: 'exportContacts',
      method: 'GET',
      path: '/v1/contacts/export',
      summary: 'Contacts as CSV, oldest first, all or those that the filters leave; an import takes it back. Safe to open as a spreadsheet',
      access: 'bearer',
      agents: false,
      query: Joi.object<ContactQuery>(filters),
      status: 200,
      produces: ['text/csv'],
      returns: Joi.any(),
      refuses: ['NOT_FOUND'],
      run: exported,
    }),
  ],
};

async function changeMany(
  world: ContactWorkWorld,
  { caller: { tenantId }, body, now }: Call<unknown, unknown, BulkOrder>,
): Promise<BulkResult | Raw> {
  const { action, ids, segment_id } = body;
  const scribe = await scribeOf(world, tenantId, now);
  const segment = segment_id === undefined ? null : await world.words.segments.find(tenantId, segment_id);
  if (segment_id !== undefined && !segment) throw refusal('NOT_FOUND', { reason: 'segment_id' });
  const value = await meant(scribe, body);
  if (!segment) return { id: null, status: 'done', changed: await changeAll(world, { tenantId, action, value, now }, ids ?? []) };
  const { _id: id, status } = await world.clerical.order(tenantId, { kind: 'bulk', action, value, rules: segment.rules, changed: 0 }, now);
  return new Raw(JSON.stringify({ id, status, changed: 0 } satisfies BulkResult), 'application/json', 202);
}

type Deed = Omit<Parameters<typeof act>[1], 'ids'>;

async function changeAll({ contacts }: ContactWorkWorld, deed: Deed, ids: readonly string[]): Promise<number> {
  let changed = 0;
  for (let at = 0; at < ids.length; at += A_STEP) changed += await act(contacts, { ...deed, ids: ids.slice(at, at + A_STEP) });
  return changed;
}

/** The id that `value` means. A tag that nobody has need not be made to be taken off. */
async function meant(scribe: Scribe, { action, value }: BulkOrder): Promise<string | null> {
  const { groups, tags } = scribe.vocabulary;
  if (action === 'delete') return null;
  if (value === undefined) throw refusal('VALIDATION_FAILED', { reason: NEEDED });
  if (action === 'set_group') {
    if (value !== null && !groups.byId(value)) throw refusal('NOT_FOUND', { reason: 'value' });
    return value;
  }
  if (value === null) throw refusal('VALIDATION_FAILED', { reason: NEEDED });
  if (action === 'tag') return (await tagIdsFor(scribe, [value]))[0] ?? null;
  return tags.byKey(tagKey(value))?._id ?? null;
}

async function exported(
  world: ContactWorkWorld,
  { caller: { tenantId, callingCode }, query, now }: Call<unknown, ContactQuery, unknown>,
): Promise<Raw> {
  const vocabulary = await vocabularyOf(world.words, tenantId);
  const asked = await queryOf(world.words, tenantId, { ...query, callingCode }, vocabulary, now);
  const keys = vocabulary.attributes.all().map(({ key }) => key);
  const columns = ['phone', 'name', ...VARS, 'group', 'tags', ...keys.map((key) => `attr.${key}`)];

  async function* lines(): AsyncGenerator<readonly Cell[]> {
    for (let at: string | null = ''; at !== null; ) {
      const { rows, next }: Awaited<ReturnType<typeof batchOf>> = await batchOf(world, tenantId, asked, at, EXPORTED_AT_ONCE);
      for (const one of rows) {
        const { phone, name, group_id, tags, attrs, ...vars } = toContact(one, vocabulary);
        const group = group_id === null ? null : (vocabulary.groups.byId(group_id)?.name ?? null);
        const values = new Map(Object.entries(attrs));
        yield [phone, name, ...VARS.map((key) => vars[key]), group, tags.join('; '), ...keys.map((key) => values.get(key) ?? null)];
      }
      at = next;
    }
  }
  return csv('contacts.csv', columns, lines());
}

const NEEDED = { en: 'value is required for this action', id: 'value wajib diisi untuk tindakan ini' };
