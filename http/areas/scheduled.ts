import Joi from 'joi';
import { refusal } from '../../actors/refusals.ts';
import type { SendOrder } from '../../actors/sending.ts';
import type { TenantHints } from '../../actors/tenant/hints.ts';
import { newId } from '../../runtime/ids.ts';
import type { Agenda } from '../../store/agenda.ts';
import { readPage } from '../../store/page.ts';
import type { Scheduled, ScheduledContent, ScheduledRow, ScheduledStatus } from '../../store/scheduled.ts';
import { type Area, type Call, rowsFor } from '../row.ts';
import { Done, nextPage, paging } from '../schemas.ts';
import { eyesOf } from './inbox-schemas.ts';
import { type OrderingWorld, orderFor } from './messages.ts';
import {
  type ContentBody,
  ContentSchema,
  ReschedulingSchema,
  SCHEDULED_STATUSES,
  type ScheduleBody,
  ScheduledSchema,
  ScheduleSchema,
  toScheduled,
} from './scheduled-schemas.ts';
import { inSession, Ulid } from './session-schemas.ts';

/** How a tenant's actor hears that its sends for later changed. */
export interface AgendaWorld {
  readonly agenda: Pick<Agenda, 'put'>;
  readonly tenantHints: Pick<TenantHints, 'eventsArrived'>;
}

export interface ScheduledWorld extends OrderingWorld, AgendaWorld {
  readonly scheduled: Scheduled;
}

interface ListQuery {
  readonly status?: ScheduledStatus;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const row = rowsFor<ScheduledWorld>();
const PATH = '/v1/sessions/{sessionId}/scheduled';
const inScheduled = inSession.keys({ id: Ulid.required() });
const refusesContent = ['INVALID_NUMBER', 'INVALID_JID', 'URL_BLOCKED'] as const;
const FARTHEST_MS = 2 * 366 * 86_400_000;
const MOST_PENDING = 10_000;

export const scheduled: Area<ScheduledWorld> = {
  name: 'scheduled messages',
  about: 'Messages that a device sends at a time that was set before. They are not held by the send window',
  rows: [
    row({
      id: 'scheduleMessage',
      method: 'POST',
      path: PATH,
      summary: 'Send a message later. A file from a `url` is downloaded now; quota is taken when its time has come',
      access: 'bearer',
      scope: 'send',
      limit: 'scheduled',
      params: inSession,
      body: ScheduleSchema,
      status: 201,
      returns: ScheduledSchema,
      refuses: [...refusesContent, 'OVERLOADED'],
      run: schedule,
    }),
    row({
      id: 'listScheduled',
      method: 'GET',
      path: PATH,
      summary: 'What was scheduled on this device, newest first',
      access: 'bearer',
      params: inSession,
      query: Joi.object<ListQuery>({ status: Joi.string().valid(...SCHEDULED_STATUSES), ...paging }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ scheduled: Joi.array().items(ScheduledSchema).required(), ...nextPage }),
      run: list,
    }),
    row({
      id: 'getScheduled',
      method: 'GET',
      path: `${PATH}/{id}`,
      summary: 'One scheduled message',
      access: 'bearer',
      params: inScheduled,
      status: 200,
      returns: ScheduledSchema,
      run: async (world, call) => toScheduled(await known(world, call)),
    }),
    row({
      id: 'changeScheduled',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Change what is sent, to whom or when, while it is `pending`; what is not named stays',
      access: 'bearer',
      scope: 'send',
      params: inScheduled,
      body: ReschedulingSchema,
      status: 200,
      returns: ScheduledSchema,
      refuses: [...refusesContent, 'CONFLICT'],
      run: change,
    }),
    row({
      id: 'cancelScheduled',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Cancel a scheduled message while it is `pending`: it is gone. What is `sending` is a message and cancelled as such',
      access: 'bearer',
      scope: 'send',
      params: inScheduled,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT'],
      async run(world, call) {
        const { caller, device, params } = call;
        await known(world, call);
        if (await world.scheduled.remove(caller.tenantId, device._id, params.id)) return { ok: true as const };
        throw refusal('CONFLICT');
      },
    }),
  ],
};

type At = { readonly sessionId: string; readonly id: string };

async function schedule(world: ScheduledWorld, { caller, device, body, now }: Call<unknown, unknown, ScheduleBody>) {
  const { scheduled_at, ...asked } = body;
  expectAhead(scheduled_at, now);
  if ((await world.scheduled.pending(caller.tenantId, device._id, MOST_PENDING)) >= MOST_PENDING)
    throw refusal('OVERLOADED', { retryAfterMs: 60_000 });
  const content = contentOf(await orderFor(world, { caller, device, body: asked, now }));
  const made: ScheduledRow = {
    _id: newId(now),
    tenant_id: caller.tenantId,
    session_id: device._id,
    chat_id: asked.chat_id,
    ...content,
    asked: remembered(asked, content),
    scheduled_at,
    status: 'pending',
    message_id: null,
    error: null,
    due_at: scheduled_at,
    created_at: now,
  };
  await world.scheduled.create(made);
  await announce(world, caller.tenantId, now);
  return toScheduled(made);
}

async function list({ scheduled: stored, sight }: ScheduledWorld, { caller, device, query }: Call<unknown, ListQuery, unknown>) {
  const { status, limit, before = null, before_id: beforeId = null } = query;
  const { rows, next } = await readPage<ScheduledRow>({
    limit,
    fetch: (after, most) =>
      stored.list(caller.tenantId, device._id, status, {
        limit: most,
        before: after?.created_at ?? before,
        beforeId: after?._id ?? beforeId,
      }),
    keep: sight.sieve(eyesOf(caller), device, ({ to }) => to),
  });
  return { scheduled: rows.map(toScheduled), next_before: next?.created_at ?? null, next_before_id: next?._id ?? null };
}

async function known(
  { scheduled: rows, sight }: ScheduledWorld,
  { caller, device, params }: Call<At, unknown, unknown>,
): Promise<ScheduledRow> {
  const found = await rows.find(caller.tenantId, device._id, params.id);
  if (!found) throw refusal('NOT_FOUND');
  await sight.expectChat(eyesOf(caller), device, found.to);
  return found;
}

async function change(world: ScheduledWorld, call: Call<At, unknown, Partial<ScheduleBody>>) {
  const { caller, device, params, now } = call;
  const { scheduled_at, ...patch } = call.body;
  if (scheduled_at !== undefined) expectAhead(scheduled_at, now);
  const old = await known(world, call);
  const at = { ...(scheduled_at !== undefined && { scheduled_at }) };
  const anew = Object.keys(patch).length > 0 ? await rewritten(world, call, old, patch) : {};
  const changed = await world.scheduled.change(caller.tenantId, device._id, params.id, { ...anew, ...at });
  if (!changed) throw refusal('CONFLICT');
  await announce(world, caller.tenantId, now);
  return toScheduled(changed);
}

/** The message as it would be had it been asked for like this at first. */
async function rewritten(
  world: ScheduledWorld,
  { caller, device, now }: Call<At, unknown, unknown>,
  old: ScheduledRow,
  patch: Partial<ContentBody>,
) {
  if (old.status !== 'pending') throw refusal('CONFLICT');
  const { value: asked, error } = ContentSchema.validate({ ...keptBeside(patch, old.asked), ...patch });
  if (error) throw refusal('VALIDATION_FAILED', { reason: error.message });
  const content = contentOf(await orderFor(world, { caller, device, body: asked, now }));
  return { chat_id: asked.chat_id, ...content, asked: remembered(asked, content) };
}

/** Of what was asked before, what a change leaves: a file named anew replaces the one before, a template what was written, and the other way round. */
function keptBeside(patch: Partial<ContentBody>, asked: ScheduledRow['asked']): ScheduledRow['asked'] {
  const { media_r2_key, template_id, body, caption, ...rest } = asked;
  if (patch.template_id !== undefined) return rest;
  const isWritten = (['body', 'caption', 'media_r2_key', 'url'] as const).some((field) => patch[field] !== undefined);
  const file = patch.url === undefined && { media_r2_key };
  return given({ ...rest, body, caption, ...file, ...(!isWritten && { template_id }) });
}

const given = (fields: ScheduledRow['asked']): ScheduledRow['asked'] =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Once it is downloaded, the file is where it comes from. */
function remembered({ url, ...asked }: ContentBody, { media_r2_key }: ScheduledContent): Readonly<Record<string, unknown>> {
  return url === undefined || media_r2_key === null ? asked : { ...asked, media_r2_key };
}

function contentOf({ chat, message_type, body, parts, media_r2_key, quotes, priority }: SendOrder): ScheduledContent {
  return { to: chat, message_type, body, parts, media_r2_key: media_r2_key ?? null, quotes, priority };
}

/** Its actor looks at once; should nobody tell it, it finds it on the agenda. */
export async function announce({ agenda, tenantHints }: AgendaWorld, tenantId: string, now: number): Promise<void> {
  await agenda.put(tenantId, now, 'sends');
  tenantHints.eventsArrived(tenantId);
}

function expectAhead(at: number, now: number): void {
  if (at <= now) throw refusal('VALIDATION_FAILED', { reason: { en: 'scheduled_at is in the past', id: 'scheduled_at sudah lewat' } });
  if (at > now + FARTHEST_MS)
    throw refusal('VALIDATION_FAILED', {
      reason: { en: 'scheduled_at is more than two years ahead', id: 'scheduled_at lebih dari dua tahun ke depan' },
    });
}
