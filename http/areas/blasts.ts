import Joi from 'joi';
import { addRecipients, type CampaignPorts, counted, draftBlast, type Listed, removeBlast, wakeFor } from '../../actors/blast/campaigns.ts';
import { refusal } from '../../actors/refusals.ts';
import type { RecipientRow, RecipientStatus } from '../../store/blast-recipients.ts';
import type { BlastRow } from '../../store/blasts.ts';
import { csv } from '../csv.ts';
import { type Area, type Call, type Caller, rowsFor } from '../row.ts';
import { Done, Ulid } from '../schemas.ts';
import { type ContentWorld, changeOf, draftOf } from './blast-content.ts';
import {
  type BlastBody,
  BlastChange,
  BlastList,
  BlastRecord,
  BlastSchema,
  blastQuery,
  LISTED_KEYS,
  RecipientList,
  Recipients,
  recipientQuery,
  shownStatus,
  toBlast,
  toRecipient,
} from './blast-schemas.ts';

export interface BlastsWorld extends CampaignPorts, Omit<ContentWorld, 'audiences'> {
  /** Must a sender confirm that recipients agreed, before a blast starts (spec.md ConsentConfig)? */
  requiresAttestation(tenantId: string): Promise<boolean>;
}

const row = rowsFor<BlastsWorld>();
const atBlast = Joi.object<{ id: string }, true>({ id: Ulid.required().description('A campaign') });
const LONG_LIST = 4 * 1024 * 1024;

const ORDERED = {
  pause: 'Pause: after the answer at most the message that is on its way goes out',
  resume: 'Go on after a pause',
  cancel: 'End it for good: those who were not written to yet are skipped with `cancelled`',
} as const;

const REPORT = ['phone', 'status', 'error', 'sent_at', 'delivered_at', 'read_at'];

export const blasts: Area<BlastsWorld> = {
  name: 'blasts',
  about:
    'Campaigns: one text to many people, once each. They go out at the pace of the device, inside the send window of the settings, and never ' +
    'to people who opted out. Recipients are unique by number.',
  rows: [
    row({
      id: 'createBlast',
      method: 'POST',
      path: '/v1/blasts',
      summary: 'Create a campaign: a draft until it is started, or until its `scheduled_at`',
      access: 'bearer',
      agents: false,
      scope: 'send',
      limit: 'blast',
      body: BlastSchema,
      maxBytes: LONG_LIST,
      maxKeys: LISTED_KEYS,
      status: 201,
      returns: BlastRecord,
      refuses: ['NOT_FOUND', 'FORBIDDEN', 'CONSENT_ATTESTATION_REQUIRED'],
      run: create,
    }),
    row({
      id: 'listBlasts',
      method: 'GET',
      path: '/v1/blasts',
      summary: 'Campaigns, newest first',
      access: 'bearer',
      agents: false,
      query: blastQuery,
      status: 200,
      returns: BlastList,
      async run({ blasts }, { caller, query: { limit, before = null, before_id = null, status } }) {
        const own = caller.key?.sessionIds;
        const filter = { ...(status !== undefined && { status }), ...(own && { sessionIds: own }) };
        return paged(
          'blasts',
          await blasts.list(caller.tenantId, filter, { limit: limit + 1, before, beforeId: before_id }),
          limit,
          toBlast,
        );
      },
    }),
    row({
      id: 'getBlast',
      method: 'GET',
      path: '/v1/blasts/{id}',
      summary: 'A campaign; counts are at most a second old while it runs',
      access: 'bearer',
      agents: false,
      params: atBlast,
      status: 200,
      returns: BlastRecord,
      run: async (world, call) => toBlast(await blastOf(world, call)),
    }),
    row({
      id: 'changeBlast',
      method: 'PATCH',
      path: '/v1/blasts/{id}',
      summary: 'Change a draft; what is not named stays',
      access: 'bearer',
      agents: false,
      scope: 'send',
      params: atBlast,
      body: BlastChange,
      status: 200,
      returns: BlastRecord,
      refuses: ['CONFLICT', 'CONSENT_ATTESTATION_REQUIRED'],
      async run(world, call) {
        const found = await blastOf(world, call);
        const patch = await changeOf(world, call.caller, found, call.body, call.now);
        const changed = await world.blasts.changeDraft(found.tenant_id, found._id, patch);
        if (!changed) throw refusal('CONFLICT');
        wakeFor(world, changed, call.now);
        return toBlast(await counted(world, changed, call.now));
      },
    }),
    row({
      id: 'deleteBlast',
      method: 'DELETE',
      path: '/v1/blasts/{id}',
      summary: 'Delete a draft or an ended campaign, with its recipients; messages stay in the log',
      access: 'bearer',
      agents: false,
      scope: 'send',
      params: atBlast,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT'],
      async run(world, call) {
        await removeBlast(world, await blastOf(world, call));
        return { ok: true as const };
      },
    }),
    row({
      id: 'addBlastRecipients',
      method: 'POST',
      path: '/v1/blasts/{id}/recipients',
      summary: 'Add up to 10,000 recipients to a draft; numbers that it has already are left out',
      access: 'bearer',
      agents: false,
      scope: 'send',
      params: atBlast,
      body: Joi.object<{ recipients: Listed[] }>({ recipients: Recipients.min(1).required() }),
      maxBytes: LONG_LIST,
      maxKeys: LISTED_KEYS,
      status: 200,
      returns: BlastRecord,
      refuses: ['CONFLICT'],
      async run(world, call) {
        const found = await blastOf(world, call);
        return toBlast(await addRecipients(world, found, call.body.recipients, call.caller.callingCode, call.now));
      },
    }),
    row({
      id: 'listBlastRecipients',
      method: 'GET',
      path: '/v1/blasts/{id}/recipients',
      summary: 'Recipients and what became of them, the last listed first; invalid ones are `skipped` with `invalid`',
      access: 'bearer',
      agents: false,
      params: atBlast,
      query: recipientQuery,
      status: 200,
      returns: RecipientList,
      async run(world, call) {
        const { limit, before_id = null, status } = call.query;
        const found = await world.recipients.list((await blastOf(world, call))._id, storedAs(status), before_id, limit + 1);
        return paged('recipients', found, limit, toRecipient);
      },
    }),
    row({
      id: 'getBlastReport',
      method: 'GET',
      path: '/v1/blasts/{id}/report',
      summary: 'What became of every recipient, as CSV; times are ISO 8601 in UTC',
      access: 'bearer',
      agents: false,
      params: atBlast,
      status: 200,
      produces: ['text/csv'],
      returns: Joi.string(),
      async run(world, call) {
        const { _id } = await blastOf(world, call);
        return csv(`blast-${_id}.csv`, REPORT, reported(world.recipients.all(_id)));
      },
    }),
    row({
      id: 'startBlast',
      method: 'POST',
      path: '/v1/blasts/{id}/start',
      summary: 'Start a draft now',
      access: 'bearer',
      agents: false,
      scope: 'send',
      params: atBlast,
      body: Joi.object<{ consent_attested?: boolean }>({ consent_attested: Joi.boolean().description('Recipients agreed to get this') }),
      status: 200,
      returns: BlastRecord,
      refuses: ['CONFLICT', 'CONSENT_ATTESTATION_REQUIRED'],
      run: start,
    }),
    ...(['pause', 'resume', 'cancel'] as const).map((order) =>
      row({
        id: `${order}Blast`,
        method: 'POST',
        path: `/v1/blasts/{id}/${order}`,
        summary: ORDERED[order],
        access: 'bearer',
        agents: false,
        scope: 'send',
        params: atBlast,
        status: 200,
        returns: BlastRecord,
        refuses: ['CONFLICT'],
        async run(world, call) {
          const found = await blastOf(world, call);
          return toBlast(await world.blast(found).ask({ type: order }));
        },
      }),
    ),
  ],
};

type Creating = Call<unknown, unknown, BlastBody>;

async function create(world: BlastsWorld, { caller, body, now }: Creating) {
  const draft = await draftOf(world, caller, body, now);
  return toBlast(await draftBlast(world, caller.tenantId, draft, body.recipients ?? [], caller.callingCode, now));
}

type Starting = Call<{ id: string }, unknown, { consent_attested?: boolean }>;

async function start(world: BlastsWorld, call: Starting) {
  const found = await blastOf(world, call);
  const isAttested = call.body.consent_attested === true || found.consent_attested_at !== null;
  if (found.status !== 'draft') throw refusal('CONFLICT');
  if (!isAttested && (await world.requiresAttestation(found.tenant_id))) throw refusal('CONSENT_ATTESTATION_REQUIRED');
  if (found.audience === null && !(await world.recipients.hasPending(found._id, null)))
    throw refusal('VALIDATION_FAILED', { reason: NOBODY });
  const attestedAt = call.body.consent_attested === true ? call.now : null;
  return toBlast(await world.blast(found).ask({ type: 'start', attestedAt }));
}

const NOBODY = { en: 'the campaign has no recipients', id: 'kampanye tidak memiliki penerima' };

/** The campaign of the path; one of a device that the key may not use is as unknown as one of another tenant. */
async function blastOf({ blasts }: BlastsWorld, { caller, params }: { caller: Caller; params: { id: string } }): Promise<BlastRow> {
  const found = await blasts.find(caller.tenantId, params.id);
  const own = caller.key?.sessionIds;
  if (!found || (own && !own.includes(found.session_id ?? ''))) throw refusal('NOT_FOUND');
  return found;
}

/** Invalid ones are shown as skipped. */
function storedAs(status: string | undefined): RecipientStatus | readonly RecipientStatus[] | null {
  if (status === undefined) return null;
  return status === 'skipped' ? ['skipped', 'invalid'] : (status as RecipientStatus);
}

async function* reported(rows: AsyncIterable<RecipientRow>) {
  for await (const row of rows)
    yield [row.phone, shownStatus(row), row.error, moment(row.sent_at), moment(row.delivered_at), moment(row.read_at)];
}

const moment = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

function paged<K extends string, T extends { _id: string; created_at: number }, R>(
  key: K,
  found: readonly T[],
  limit: number,
  shown: (row: T) => R,
) {
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { [key]: page.map(shown), next_before: last?.created_at ?? null, next_before_id: last?._id ?? null };
}
