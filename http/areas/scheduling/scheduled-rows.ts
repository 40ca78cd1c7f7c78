import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import { type Fault, inStatus, refusal } from '../../../actors/domain/refusals.ts';
import { usernameIn } from '../../../actors/domain/usernames.ts';
import { actOnce, keyFrom, storedOnce } from '../../../actors/services/messaging/idempotency.ts';
import type { SendOrder } from '../../../actors/services/messaging/sending.ts';
import type { TenantHints } from '../../../actors/tenant/hints.ts';
import { codeOf } from '../../../runtime/errors.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import type { Scheduled, ScheduledContent, ScheduledRow, ScheduledStatus } from '../../../store/scheduling/scheduled.ts';
import type { Wakeups } from '../../../store/scheduling/wakeups.ts';
import { refusalFor } from '../../core/faults.ts';
import { describe } from '../../core/joi-reflection.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type DeviceCall, rowsFor } from '../../core/row.ts';
import { Done, nextPage, paging, Ulid } from '../../core/schemas.ts';
import { faultIfPast } from '../../core/times.ts';
import { REFUSES_USERNAMES } from '../look-ups.ts';
import { withItsFile } from '../messages/attachments.ts';
import { missingIn, overdueIn } from '../messages/checks.ts';
import { type OrderingServices, orderFor, withoutKeys } from '../messages/rows.ts';
import { inSession, viewerOf } from '../params.ts';
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

export interface WakeupServices {
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly tenantHints: Pick<TenantHints, 'eventsArrived'>;
}

export interface ScheduledServices extends OrderingServices, WakeupServices {
  readonly idempotency: IdempotencyKeys;
  readonly scheduled: Scheduled;
}

interface ListQuery {
  readonly status?: ScheduledStatus;
  readonly limit: number;
  readonly before?: number;
  readonly before_id?: string;
}

const row = rowsFor<ScheduledServices>();
const PATH = '/v1/sessions/{sessionId}/scheduled';
const inScheduled = inSession.keys({ id: Ulid.required() });
const refusesContent = ['INVALID_NUMBER', 'INVALID_JID', 'URL_BLOCKED', ...REFUSES_USERNAMES] as const;
const FARTHEST_MS = 2 * 366 * 86_400_000;
const MAX_PENDING = 10_000;

export const scheduled: Area<ScheduledServices> = {
  name: 'scheduled messages',
  about: 'Messages that a device sends at a given time. The send window does not apply',
  rows: [
    row({
      id: 'scheduleMessage',
      method: 'POST',
      path: PATH,
      summary: 'Schedule a message',
      about: 'Schedule a message. A file from a `url` is downloaded now. The message counts against the quota when it is due',
      audit: { none: 'the list of scheduled messages records it' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'send',
      limit: 'scheduled',
      params: inSession,
      headers: ['idempotency-key'],
      body: ScheduleSchema,
      check: missingIn,
      timely: overdueOf,
      status: 201,
      returns: ScheduledSchema,
      refuses: [...refusesContent, 'OVERLOADED'],
      run: schedule,
    }),
    row({
      id: 'listScheduled',
      method: 'GET',
      path: PATH,
      summary: 'List scheduled messages',
      about: 'List the scheduled messages of this device, newest first',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
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
      summary: 'Get a scheduled message',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inScheduled,
      status: 200,
      returns: ScheduledSchema,
      run: async (services, call) => toScheduled(await known(services, call)),
    }),
    row({
      id: 'changeScheduled',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Update a scheduled message',
      example: { body: 'See you tomorrow at nine.' },
      about: 'Update a scheduled message while it is `pending`. Omitted fields are unchanged',
      audit: { none: 'the list of scheduled messages records it' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'send',
      params: inScheduled,
      body: ReschedulingSchema,
      check: timeFaults,
      status: 200,
      returns: ScheduledSchema,
      refuses: [...refusesContent, 'CONFLICT'],
      run: change,
    }),
    row({
      id: 'cancelScheduled',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Delete a scheduled message',
      about: 'Delete a scheduled message while it is `pending`. Once it is `sending`, cancel its message instead',
      audit: { none: 'the list of scheduled messages records it' },
      stepUp: { none: 'the message is not sent' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'send',
      params: inScheduled,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT'],
      async run(services, call) {
        const { caller, device, params } = call;
        await known(services, call);
        if (await services.scheduled.remove(caller.tenantId, device._id, params.id)) return { ok: true as const };
        throw refusal('CONFLICT', { reason: NOT_PENDING });
      },
    }),
  ],
};

type At = { readonly sessionId: string; readonly id: string };

async function schedule(services: ScheduledServices, call: DeviceCall<unknown, unknown, ScheduleBody>) {
  const { caller, device, body, sent, header, now } = call;
  const asked = {
    key: keyFrom(header('idempotency-key')),
    tenantId: caller.tenantId,
    request: ['schedule', device._id, withoutKeys(services, body, sent)],
  };
  const { answer } = await actOnce(services, asked, now, async (id, isAgain) => {
    const there = isAgain ? await services.scheduled.find(caller.tenantId, device._id, id) : null;
    if (!there) call.expectTimely();
    const made = there ?? (await scheduleUnder(services, call, id));
    // Also announces an existing entry, because an earlier call may have crashed before this step.
    await announce(services, caller.tenantId, now);
    return toScheduled(made);
  });
  return answer;
}

async function scheduleUnder(
  services: ScheduledServices,
  { caller, device, body, now }: DeviceCall<unknown, unknown, ScheduleBody>,
  id: string,
): Promise<ScheduledRow> {
  const { scheduled_at, ...asked } = body;
  const content = contentOf(await orderFor(services, { caller, device, body: asked, now }));
  const made: ScheduledRow = {
    _id: id,
    tenant_id: caller.tenantId,
    session_id: device._id,
    chat_id: asked.chat_id ?? content.to,
    ...content,
    ...calledBy(asked),
    asked: remembered(asked, content),
    scheduled_at,
    status: 'pending',
    message_id: null,
    error: null,
    due_at: scheduled_at,
    created_at: now,
  };
  const storing = storedOnce(stored(services, made), () => services.scheduled.find(caller.tenantId, device._id, id));
  return withItsFile(services, { tenantId: caller.tenantId, body: asked, key: made.media_r2_key, keyOf }, storing);
}

function calledBy({ recipient }: ContentBody): Pick<ScheduledRow, 'username'> {
  return { username: recipient && 'username' in recipient ? usernameIn(recipient.username) : null };
}

const keyOf = ({ media_r2_key }: ScheduledRow): string | null => media_r2_key;

async function stored({ scheduled: rows }: ScheduledServices, made: ScheduledRow): Promise<ScheduledRow> {
  if (!(await rows.createWithin(made, MAX_PENDING))) throw refusal('OVERLOADED', { retryAfterMs: 60_000 });
  return made;
}

async function list(
  { scheduled: stored, visibility }: ScheduledServices,
  { caller, device, query }: DeviceCall<unknown, ListQuery, unknown>,
) {
  const { entries, next } = await pageFrom<ScheduledRow, ReturnType<typeof toScheduled>>(caller.tenantId, query, {
    list: (page) => stored.list(caller.tenantId, device._id, query.status, page),
    keep: visibility.filter(viewerOf(caller), device, ({ to }) => to),
    show: toScheduled,
  });
  return { scheduled: entries, ...next };
}

async function known(
  { scheduled: rows, visibility }: ScheduledServices,
  { caller, device, params }: DeviceCall<At, unknown, unknown>,
): Promise<ScheduledRow> {
  const found = await rows.find(caller.tenantId, device._id, params.id);
  if (!found) throw refusal('NOT_FOUND');
  await visibility.expectChat(viewerOf(caller), device, found.to);
  return found;
}

type Change = DeviceCall<At, unknown, Partial<ScheduleBody>>;

async function change(services: ScheduledServices, call: Change) {
  const old = await known(services, call);
  const changed = await changedFrom(services, call, old).catch(async (cause) => {
    if (!(await wasRewritten(services, call, old, cause))) throw cause;
    return null;
  });
  if (!changed) return change(services, call);
  await announce(services, call.caller.tenantId, call.now);
  return toScheduled(changed);
}

async function changedFrom(services: ScheduledServices, call: Change, old: ScheduledRow): Promise<ScheduledRow> {
  const { tenantId } = call.caller;
  const { scheduled_at, ...patch } = call.body;
  const at = { ...(scheduled_at !== undefined && { scheduled_at }) };
  const anew = Object.keys(patch).length > 0 ? await rewritten(services, call, old, patch) : null;
  const changing = services.scheduled.change(old, { ...anew, ...at }).then(expectPending);
  return withItsFile(services, { tenantId, body: patch, key: anew?.media_r2_key, keyOf }, changing);
}

/**
 * Returns true if the row was changed concurrently. The change must then be applied to the new row.
 */
async function wasRewritten({ scheduled: rows }: ScheduledServices, { caller, device }: Change, old: ScheduledRow, cause: unknown) {
  if (codeOf(cause) !== 'CONFLICT') return false;
  const found = await rows.find(caller.tenantId, device._id, old._id);
  return found?.status === 'pending' && !isDeepStrictEqual(found.asked, old.asked);
}

const SCHEDULED = { en: 'the scheduled message', id: 'pesan terjadwal' };
const NOT_PENDING = { en: 'the scheduled message is no longer pending', id: 'pesan terjadwal ini tidak lagi menunggu' };

function expectPending(changed: ScheduledRow | null): ScheduledRow {
  if (!changed) throw refusal('CONFLICT', { reason: NOT_PENDING });
  return changed;
}

async function rewritten(
  services: ScheduledServices,
  { caller, device, now }: DeviceCall<At, unknown, unknown>,
  old: ScheduledRow,
  patch: Partial<ContentBody>,
) {
  if (old.status !== 'pending') throw inStatus(SCHEDULED, old.status);
  const { chat_id, ...rest } = keptBeside(patch, old.asked);
  const to = patch.chat_id === undefined && patch.recipient === undefined ? { chat_id } : {};
  const { value: asked, error } = ContentSchema.validate({ ...rest, ...to, ...patch });
  if (error) throw refusalFor(error, () => describe(ContentSchema), 'body');
  const content = contentOf(await orderFor(services, { caller, device, body: asked, now }));
  const isNamedAnew = patch.chat_id !== undefined || patch.recipient !== undefined;
  return { chat_id: asked.chat_id ?? content.to, ...content, ...(isNamedAnew && calledBy(asked)), asked: remembered(asked, content) };
}

/**
 * A new file replaces the old one. A new template replaces the text, and a new text replaces the
 * template.
 */
function keptBeside(patch: Partial<ContentBody>, asked: ScheduledRow['asked']): ScheduledRow['asked'] {
  const { media_r2_key, template_id, variables, body, caption, ...rest } = asked;
  if (patch.template_id !== undefined) return rest;
  // Only an official template can be combined with a file, which becomes the template's header.
  const replaces = media_r2_key !== undefined && template_id !== undefined ? TEXTS : [...TEXTS, ...FILES];
  const isWritten = replaces.some((field) => patch[field] !== undefined);
  const file = patch.url === undefined && { media_r2_key };
  return given({ ...rest, body, caption, ...file, ...(!isWritten && { template_id, variables }) });
}

const TEXTS = ['body', 'caption'] as const;
const FILES = ['media_r2_key', 'url'] as const;

const given = (fields: ScheduledRow['asked']): ScheduledRow['asked'] =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function remembered({ url, recipient, ...own }: ContentBody, { to, media_r2_key }: ScheduledContent): Readonly<Record<string, unknown>> {
  // A recipient without a number is stored as a chat address, never with a username key.
  const asked = recipient === undefined ? own : { ...own, chat_id: to };
  return url === undefined || media_r2_key === null ? asked : { ...asked, media_r2_key };
}

function contentOf({ chat, message_type, body, parts, media_r2_key, quotes, priority }: SendOrder): ScheduledContent {
  return { to: chat, message_type, body, parts, media_r2_key: media_r2_key ?? null, quotes, priority };
}

/** Schedules a wakeup in case the direct notification of the actor is lost. */
export async function announce({ wakeups, tenantHints }: WakeupServices, tenantId: string, now: number): Promise<void> {
  await wakeups.put(tenantId, now, 'sends');
  tenantHints.eventsArrived(tenantId);
}

function overdueOf(body: Partial<ScheduleBody>, now: number): readonly Fault[] {
  return [...overdueIn(body, now), ...timeFaults(body, now)];
}

function timeFaults({ scheduled_at: at }: { readonly scheduled_at?: number | undefined }, now: number): readonly Fault[] {
  if (at === undefined || at <= now + FARTHEST_MS) return faultIfPast('scheduled_at', at, now);
  return [{ path: 'scheduled_at', en: 'scheduled_at must be at most two years ahead', id: 'scheduled_at paling lama dua tahun ke depan' }];
}
