import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import { type Fault, invalid, refusal } from '../../../actors/domain/refusals.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import type { FileAccess } from '../../../actors/services/media/file-access.ts';
import { actOnce, keyFrom, storedOnce } from '../../../actors/services/messaging/idempotency.ts';
import {
  type ContentDeps,
  configOf,
  faultsOfSchedule,
  NO_CONTENT,
  NO_TEMPLATE,
  recurringContent,
  rescheduled,
  resolveTargets,
  TWO_TEXTS,
} from '../../../actors/services/scheduling/recurring.ts';
import { newRun, nextRunOf } from '../../../actors/services/scheduling/run-recurring.ts';
import { momentOfId } from '../../../runtime/derived-ids.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import type { IdempotencyKeys } from '../../../store/messaging/idempotency.ts';
import type { Recurring, RecurringRow, RecurringTemplate } from '../../../store/scheduling/recurring.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type Caller, type DeviceCall, rowsFor } from '../../core/row.ts';
import { Done, nextPage, paging, Ulid } from '../../core/schemas.ts';
import { fileViewer, inSession } from '../params.ts';
import { type RecurringBody, RecurringCreation, RecurringPatch, RecurringSchema, toRecurring } from './recurring-schemas.ts';
import { announce, type WakeupServices } from './scheduled-rows.ts';

export interface RecurringServices extends WakeupServices, ContentDeps {
  readonly numbers: NumberReader;
  readonly idempotency: IdempotencyKeys;
  readonly recurring: Recurring;
  readonly files: Pick<FileAccess, 'use'>;
  readonly tenants: Pick<Tenants, 'find'>;
}

const row = rowsFor<RecurringServices>();
const PATH = '/v1/sessions/{sessionId}/recurring';
const inRecurring = inSession.keys({ id: Ulid.required() });
const MAX = 1_000;

type At = { readonly sessionId: string; readonly id: string };
type Paging = { readonly limit: number; readonly before?: number; readonly before_id?: string };

export const recurring: Area<RecurringServices> = {
  name: 'recurring messages',
  about:
    'Messages that a device sends repeatedly. Recipients who opted out are skipped; the send window does not apply. A run that was missed while ' +
    'the service was down is made up once after the restart',
  rows: [
    row({
      id: 'createRecurring',
      method: 'POST',
      path: PATH,
      summary: 'Create a recurring message',
      about: 'Create a recurring message with a text or a file',
      audit: { action: 'recurring.create', on: 'recurring' },
      stepUp: { none: 'sends messages; grants no access' },
      access: 'bearer',
      deviceKeys: true,
      scope: 'send',
      limit: 'scheduled',
      params: inSession,
      headers: ['idempotency-key'],
      body: RecurringCreation,
      check: faultsIn,
      status: 201,
      returns: RecurringSchema,
      refuses: ['INVALID_TARGETS', 'OVERLOADED'],
      run: create,
    }),
    row({
      id: 'listRecurring',
      method: 'GET',
      path: PATH,
      summary: 'List recurring messages',
      about: 'List the recurring messages of this device, newest first',
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      query: Joi.object<Paging>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ recurring: Joi.array().items(RecurringSchema).required(), ...nextPage }),
      run: list,
    }),
    row({
      id: 'getRecurring',
      method: 'GET',
      path: `${PATH}/{id}`,
      summary: 'Get a recurring message',
      access: 'bearer',
      deviceKeys: true,
      params: inRecurring,
      status: 200,
      returns: RecurringSchema,
      run: async (services, call) => toRecurring(await known(services, call)),
    }),
    row({
      id: 'changeRecurring',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Update a recurring message',
      example: { message: 'Fresh bread today!', is_active: true },
      about: 'Update or pause a recurring message. Omitted fields are unchanged. Changing the schedule or the time zone restarts it',
      audit: { action: 'recurring.update', on: 'recurring' },
      stepUp: { none: 'sends messages; grants no access' },
      access: 'bearer',
      deviceKeys: true,
      scope: 'send',
      params: inRecurring,
      body: RecurringPatch,
      check: twoTextsIn,
      status: 200,
      returns: RecurringSchema,
      refuses: ['INVALID_TARGETS'],
      run: change,
    }),
    row({
      id: 'deleteRecurring',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Delete a recurring message',
      audit: { action: 'recurring.delete', on: 'recurring' },
      stepUp: { none: 'stops sending; the messages stay in the log' },
      access: 'bearer',
      deviceKeys: true,
      scope: 'send',
      params: inRecurring,
      status: 200,
      returns: Done,
      async run(services, { caller, device, params }) {
        if (!(await services.recurring.remove(caller.tenantId, device._id, params.id))) throw refusal('NOT_FOUND');
        return { ok: true as const };
      },
    }),
    row({
      id: 'runRecurring',
      method: 'POST',
      path: `${PATH}/{id}/run`,
      summary: 'Run a recurring message',
      about:
        'Send a recurring message once now, even while it is paused. Its schedule does not change. Returns CONFLICT while a run is in progress',
      audit: { none: 'the message log records the messages' },
      access: 'bearer',
      deviceKeys: true,
      scope: 'send',
      limit: 'scheduled',
      params: inRecurring,
      headers: ['idempotency-key'],
      status: 202,
      returns: RecurringSchema,
      refuses: ['CONFLICT'],
      run,
    }),
  ],
};

function faultsIn(body: Partial<RecurringBody>): readonly Fault[] {
  const { schedule_type, schedule_config, message, media_r2_key, template_id, variables } = body;
  const ofSchedule = schedule_type === undefined ? [] : faultsOfSchedule(schedule_type, schedule_config ?? {});
  if ((message ?? media_r2_key ?? template_id ?? null) === null) return [...ofSchedule, NO_CONTENT];
  return variables !== undefined && template_id === undefined ? [...ofSchedule, NO_TEMPLATE] : [...ofSchedule, ...twoTextsIn(body)];
}

function twoTextsIn({ message = null, template_id }: Partial<RecurringBody>): readonly Fault[] {
  return message !== null && template_id !== undefined ? [TWO_TEXTS] : [];
}

type Creation = DeviceCall<unknown, unknown, RecurringBody>;
type Draft = Omit<RecurringRow, 'due_at' | 'rev'>;

async function create(services: RecurringServices, call: Creation) {
  const { caller, device, sent, header, now } = call;
  const asked = { key: keyFrom(header('idempotency-key')), tenantId: caller.tenantId, request: ['recurring', device._id, sent] };
  const { answer } = await actOnce(services, asked, now, async (id, isAgain) => {
    const find = () => services.recurring.find(caller.tenantId, device._id, id);
    const made = (isAgain ? await find() : null) ?? (await storedOnce<Draft>(createUnder(services, call, id), find));
    await announce(services, caller.tenantId, now);
    return toRecurring(made);
  });
  return answer;
}

async function createUnder(services: RecurringServices, { caller, device, body, now }: Creation, id: string): Promise<Draft> {
  const targets = await resolveTargets(services.numbers, caller, body.targets);
  const draft: Draft = {
    _id: id,
    tenant_id: caller.tenantId,
    session_id: device._id,
    name: body.name,
    targets,
    ...(await recurringContent(services, device, {
      message: body.message ?? null,
      media: await fileOf(services, caller, body.media_r2_key),
      template: templateIn(body, null),
    })),
    schedule_type: body.schedule_type,
    schedule_config: configOf(body.schedule_type, body.schedule_config ?? {}),
    timezone: body.timezone ?? (await businessZone(services, caller)),
    since: now,
    is_active: body.is_active ?? true,
    next_run_at: null,
    last_run_at: null,
    run: null,
    accepted: [],
    created_at: now,
  };
  const made = { ...draft, next_run_at: draft.is_active ? nextRunOf(draft, now) : null };
  if (!(await services.recurring.createWithin(made, MAX))) throw refusal('OVERLOADED', { retryAfterMs: 60_000 });
  return made;
}

async function list({ recurring }: RecurringServices, { caller, device, query }: DeviceCall<unknown, Paging, unknown>) {
  const { entries, next } = await pageFrom(caller.tenantId, query, {
    list: (page) => recurring.list(caller.tenantId, device._id, page),
    show: toRecurring,
  });
  return { recurring: entries, ...next };
}

async function known(
  { recurring: rows }: RecurringServices,
  { caller, device, params }: DeviceCall<At, unknown, unknown>,
): Promise<RecurringRow> {
  const found = await rows.find(caller.tenantId, device._id, params.id);
  if (!found) throw refusal('NOT_FOUND');
  return found;
}

async function change(
  services: RecurringServices,
  call: DeviceCall<At, unknown, Partial<RecurringBody>>,
): Promise<ReturnType<typeof toRecurring>> {
  const { caller, body, now } = call;
  const old = await known(services, call);
  const targets = body.targets && { targets: await resolveTargets(services.numbers, caller, body.targets) };
  const content = await contentOf(services, call, old);
  const zone = body.timezone === null ? { timezone: await businessZone(services, caller) } : {};
  let isRewritten = false;
  const changed = await services.recurring.change(caller.tenantId, old._id, (one) => {
    isRewritten = content !== null && !hasSameContent(one, old);
    if (isRewritten) return null;
    const patch = { ...changedBy(one, body), ...zone, ...targets, ...content };
    return { ...patch, ...rescheduled({ ...one, ...patch }, !hasSameSchedule(one, patch), now) };
  });
  if (isRewritten) return change(services, call);
  if (!changed) throw refusal('NOT_FOUND');
  await announce(services, caller.tenantId, now);
  return toRecurring(changed);
}

type Content = Pick<RecurringRow, 'message' | 'media_r2_key' | 'template'>;

const hasSameContent = (one: Content, other: Content): boolean =>
  one.message === other.message &&
  one.media_r2_key === other.media_r2_key &&
  isDeepStrictEqual(one.template ?? null, other.template ?? null);

function templateIn(
  { message, template_id, variables }: Partial<RecurringBody>,
  before: RecurringTemplate | null,
): RecurringTemplate | null {
  if (template_id === undefined && message !== undefined) return null;
  const id = template_id ?? before?.id;
  if (id === undefined) return null;
  const kept = template_id === undefined || template_id === before?.id ? before?.variables : undefined;
  return { id, variables: variables ? Object.entries(variables).map(([name, value]) => ({ name, value })) : (kept ?? []) };
}

const CONTENT = ['message', 'media_r2_key', 'template_id', 'variables'] as const;

/**
 * Returns null if the content does not change, so that pausing works even if the file is missing.
 */
async function contentOf(
  services: RecurringServices,
  { caller, device, body }: DeviceCall<At, unknown, Partial<RecurringBody>>,
  old: RecurringRow,
) {
  if (CONTENT.every((field) => body[field] === undefined)) return null;
  const template = templateIn(body, old.template ?? null);
  if (body.variables && !template) throw invalid([NO_TEMPLATE]);
  const file = await fileOf(services, caller, body.media_r2_key === undefined ? old.media_r2_key : body.media_r2_key);
  // When a template is removed, the text stored from it is dropped too.
  const before = old.template && !template ? null : old.message;
  return recurringContent(services, device, { message: body.message === undefined ? before : body.message, media: file, template });
}

function changedBy(old: RecurringRow, body: Partial<RecurringBody>) {
  const type = body.schedule_type ?? old.schedule_type;
  const { hour, minute } = old.schedule_config;
  const kept = type === old.schedule_type ? old.schedule_config : { hour, minute };
  return {
    name: body.name ?? old.name,
    schedule_type: type,
    schedule_config: configOf(type, { ...kept, ...body.schedule_config }),
    timezone: body.timezone ?? old.timezone,
    is_active: body.is_active ?? old.is_active,
  };
}

type Schedule = Pick<RecurringRow, 'schedule_type' | 'schedule_config' | 'timezone'>;

const hasSameSchedule = (one: Schedule, other: Schedule): boolean => isDeepStrictEqual(scheduleOf(one), scheduleOf(other));

const scheduleOf = ({ schedule_type, schedule_config, timezone }: Schedule) => [
  schedule_type,
  configOf(schedule_type, schedule_config),
  timezone,
];

async function run(services: RecurringServices, call: DeviceCall<At, unknown, unknown>) {
  const { caller, header, now } = call;
  const { _id } = await known(services, call);
  const asked = { key: keyFrom(header('idempotency-key')), tenantId: caller.tenantId, request: ['run', _id] };
  const { answer } = await actOnce(services, asked, now, async (id, isAgain) => {
    const there = isAgain ? await known(services, call) : null;
    const begun = there && wasBegun(there, id) ? there : await begin(services, caller.tenantId, _id, id, now);
    await announce(services, caller.tenantId, now);
    return toRecurring(begun);
  });
  return answer;
}

/** Whether this call started a run. Each run has the id of the call that started it. */
const wasBegun = ({ run, accepted, by_hand, last_run_at }: RecurringRow, id: string): boolean =>
  [run?.key, by_hand, ...accepted.map(({ key }) => key)].includes(id) || last_run_at === momentOfId(id);

const RUNS = { en: 'a run is in progress', id: 'sedang berjalan' };

async function begin(services: RecurringServices, tenantId: string, recurringId: string, id: string, now: number): Promise<RecurringRow> {
  const at = momentOfId(id);
  const run = { ...newRun(now), key: id, at };
  const begun = await services.recurring.change(tenantId, recurringId, (one) => (one.run ? null : { run, last_run_at: at, by_hand: id }));
  if (!begun) throw refusal('CONFLICT', { reason: RUNS });
  return begun;
}

async function fileOf({ files }: RecurringServices, caller: Caller, key: string | null | undefined): Promise<MediaRow | null> {
  return key === null || key === undefined ? null : files.use(fileViewer(caller), key);
}

async function businessZone({ tenants }: RecurringServices, { tenantId }: Caller): Promise<string> {
  return (await tenants.find(tenantId))?.profile.timezone ?? 'UTC';
}
