import Joi from 'joi';
import type { Cell } from '../../../actors/domain/csv.ts';
import { type Fault, refusal } from '../../../actors/domain/refusals.ts';
import { type AudienceDeps, batchOf, queryOf } from '../../../actors/services/contacts/audience.ts';
import { A_STEP, act } from '../../../actors/services/contacts/bulk-jobs.ts';
import { contactCells, contactColumns } from '../../../actors/services/contacts/contact-lines.ts';
import { labelWriterOf, lidsOf, type ShowingContactDeps } from '../../../actors/services/contacts/contacts.ts';
import type { JobHints } from '../../../actors/services/contacts/job-hints.ts';
import { type LabelWriter, labelIndexOf, tagIdsFor, tagKey } from '../../../actors/services/contacts/labels.ts';
import { labelsNamed } from '../../../actors/services/contacts/segment-facets.ts';
import { rulesNow } from '../../../actors/services/contacts/tag-references.ts';
import { timeSlicer } from '../../../actors/services/contacts/time-slicer.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import { BULK_ACTIONS, type BulkAction, type JobRow } from '../../../store/jobs/jobs.ts';
import { csv } from '../../core/csv.ts';
import { type Area, type Call, Raw, rowsFor } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';
import { type ContactsServices, numberIn } from './rows.ts';
import { type ContactQuery, filters, LabelName } from './schemas.ts';

export interface ContactWorkServices extends AudienceDeps, ShowingContactDeps, Pick<ContactsServices, 'standing'> {
  readonly numbers: NumberReader;
  readonly jobHints: JobHints;
}

interface BulkOrder {
  readonly action: BulkAction;
  readonly ids?: readonly string[];
  readonly segment_id?: string;
  readonly value?: string | null;
}

/** `id` is null if the action was completed immediately. */
interface BulkResult {
  readonly id: string | null;
  readonly status: JobRow['status'];
  readonly changed: number;
}

const MAX_IDS = 10_000;
const EXPORTED_BATCH_SIZE = 100;

const ResultSchema = Joi.object<BulkResult>({
  id: Ulid.allow(null).required().description('The id of the change that continues in the background; null when everything is done'),
  status: Joi.string().valid('queued', 'running', 'done', 'failed').required(),
  changed: Joi.number().integer().required().description('Contacts changed so far'),
}).meta({ title: 'BulkResult' });

const row = rowsFor<ContactWorkServices>();

export const contactWork: Area<ContactWorkServices> = {
  name: 'contact work',
  about: 'Bulk changes and export of contacts',
  rows: [
    row({
      id: 'changeContacts',
      method: 'POST',
      path: '/v1/contacts/bulk',
      summary: 'Change contacts in bulk',
      example: { action: 'tag', ids: ['01JZX5ZB4T8QKX3N9V7C2M6D1E'], value: 'VIP' },
      about:
        'Tag or untag contacts, set their group, or delete them. `value` is the name of the tag (created if it does not exist) or the id of the group (null removes the group). ' +
        'With `ids`, the change is complete when the response arrives. A segment is processed in the background (202)',
      audit: { action: 'contacts.bulk' },
      stepUp: { none: 'everyday work; messages and consent stay' },
      access: 'bearer',
      heavy: true,
      limit: 'bulk',
      body: Joi.object<BulkOrder>({
        action: Joi.string()
          .valid(...BULK_ACTIONS)
          .required()
          .example('tag'),
        ids: Joi.array().items(Ulid).min(1).max(MAX_IDS).unique(),
        segment_id: Ulid,
        value: LabelName.allow(null),
      }).xor('ids', 'segment_id'),
      check: faultsIn,
      status: 200,
      also: { 202: 'For a segment: the change continues in the background' },
      returns: ResultSchema,
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      run: changeMany,
    }),
    row({
      id: 'getContactsBulk',
      method: 'GET',
      path: '/v1/contacts/bulk/{id}',
      summary: 'Get a bulk change',
      about: 'Get the progress of a bulk change of a segment. The record is kept for 30 days after it ends',
      access: 'bearer',
      params: Joi.object<{ id: string }>({ id: Ulid.required() }),
      status: 200,
      returns: ResultSchema,
      refuses: ['NOT_FOUND'],
      async run({ jobHints }, { caller, params }) {
        const job = await jobHints.find(caller.tenantId, params.id);
        if (job?.kind !== 'bulk') throw refusal('NOT_FOUND');
        return { id: job._id, status: job.status, changed: job.changed };
      },
    }),
    row({
      id: 'exportContacts',
      method: 'GET',
      path: '/v1/contacts/export',
      summary: 'Export contacts',
      about:
        'Export all contacts, or those that match the filters, as CSV, oldest first. You can import the file again and open it safely as a spreadsheet',
      audit: { action: 'contacts.export' },
      stepUp: true,
      access: 'bearer',
      heavy: true,
      deviceKeys: true,
      query: Joi.object<ContactQuery>(filters),
      status: 200,
      produces: ['text/csv'],
      samples: { 'text/csv': 'phone,name,tags\r\n+6281234567890,Anna Widodo,VIP\r\n' },
      returns: Joi.any(),
      refuses: ['NOT_FOUND'],
      run: exported,
    }),
  ],
};

function faultsIn({ action, value }: Partial<BulkOrder>): readonly Fault[] {
  if (action === undefined || action === 'delete') return [];
  const isThere = action === 'set_group' ? value !== undefined : typeof value === 'string';
  return isThere ? [] : [{ path: 'value', ...NEEDED }];
}

async function changeMany(
  services: ContactWorkServices,
  { caller: { tenantId }, body, now }: Call<unknown, unknown, BulkOrder>,
): Promise<BulkResult | Raw> {
  const { action, ids, segment_id } = body;
  const labelWriter = await labelWriterOf(services, tenantId, now);
  const segment = segment_id === undefined ? null : await services.labels.segments.find(tenantId, segment_id);
  if (segment_id !== undefined && !segment) throw refusal('NOT_FOUND', { reason: 'segment_id' });
  const value = await meant(labelWriter, body);
  if (!segment) return { id: null, status: 'done', changed: await changeAll(services, { tenantId, action, value, now }, ids ?? []) };
  const rules = rulesNow(segment, labelWriter.labelIndex);
  const { _id: id, status } = await services.jobHints.order(
    tenantId,
    { kind: 'bulk', action, value, rules, named: labelsNamed(rules, labelWriter.labelIndex), changed: 0 },
    now,
  );
  return new Raw(JSON.stringify({ id, status, changed: 0 } satisfies BulkResult), 'application/json', 202);
}

type BulkChange = Omit<Parameters<typeof act>[1], 'ids'>;

async function changeAll({ contacts }: ContactWorkServices, change: BulkChange, ids: readonly string[]): Promise<number> {
  let changed = 0;
  for (const some of inChunks(ids, A_STEP)) changed += await act(contacts, { ...change, ids: some });
  return changed;
}

async function meant(labelWriter: LabelWriter, { action, value = null }: BulkOrder): Promise<string | null> {
  const { groups, tags } = labelWriter.labelIndex;
  if (action === 'delete' || value === null) return null;
  if (action === 'set_group') {
    if (!groups.byId(value)) throw refusal('NOT_FOUND', { reason: 'value' });
    return value;
  }
  if (action === 'tag') return (await tagIdsFor(labelWriter, [value]))[0] ?? null;
  return tags.everCalled(tagKey(value))?._id ?? null;
}

async function exported(services: ContactWorkServices, { caller, query, now }: Call<unknown, ContactQuery, unknown>): Promise<Raw> {
  const { tenantId, callingCode } = caller;
  const labelIndex = await labelIndexOf(services.labels, tenantId);
  const audience = { ...query, ...(await numberIn(services, caller, query)), callingCode };
  const asked = await queryOf(services.labels, tenantId, audience, labelIndex, now);

  async function* lines(): AsyncGenerator<readonly Cell[]> {
    for (let at: string | null = ''; at !== null; ) {
      const from: string = at;
      const { rows, next }: Awaited<ReturnType<typeof batchOf>> = await timeSlicer.slice(tenantId, () =>
        batchOf(services, tenantId, asked, from, EXPORTED_BATCH_SIZE),
      );
      const lids = await lidsOf(services, tenantId, rows);
      for (const one of rows) yield contactCells(one, labelIndex, lids);
      at = next;
    }
  }
  return csv('contacts.csv', contactColumns(labelIndex), lines());
}

const NEEDED = { en: 'value is required for this action', id: 'value wajib diisi untuk tindakan ini' };
