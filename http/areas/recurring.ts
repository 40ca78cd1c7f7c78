import Joi from 'joi';
import { configOf, recurringContent, rescheduled, resolveTargets } from '../../actors/later/recurring.ts';
import { newRun, nextRunOf } from '../../actors/later/run-recurring.ts';
import type { MediaLibrary } from '../../actors/media/library.ts';
import { refusal } from '../../actors/refusals.ts';
import { newId } from '../../runtime/ids.ts';
import type { MediaRow } from '../../store/media.ts';
import type { Recurring, RecurringRow } from '../../store/recurring.ts';
import type { Tenants } from '../../store/tenants.ts';
import { pageFrom } from '../paging.ts';
import { type Area, type Call, type Caller, rowsFor } from '../row.ts';
import { Done, nextPage, paging } from '../schemas.ts';
import { type RecurringBody, RecurringCreation, RecurringPatch, RecurringSchema, toRecurring } from './recurring-schemas.ts';
import { type AgendaWorld, announce } from './scheduled.ts';
import { inSession, Ulid } from './session-schemas.ts';

export interface RecurringWorld extends AgendaWorld {
  readonly recurring: Recurring;
  readonly media: Pick<MediaLibrary, 'use'>;
  readonly tenants: Pick<Tenants, 'find'>;
}

const row = rowsFor<RecurringWorld>();
const PATH = '/v1/sessions/{sessionId}/recurring';
const inRecurring = inSession.keys({ id: Ulid.required() });
const MOST = 1_000;

type At = { readonly sessionId: string; readonly id: string };
type Paging = { readonly limit: number; readonly before?: number; readonly before_id?: string };

export const recurring: Area<RecurringWorld> = {
  name: 'recurring messages',
  about:
    'Messages that a device sends again and again. Who opted out is skipped; the send window does not hold them. A run that was missed while ' +
    'the service was down is done once, when it is back',
  rows: [
    row({
      id: 'createRecurring',
      method: 'POST',
      path: PATH,
      summary: 'Send a text or a file at certain times',
      access: 'bearer',
      agents: false,
      scope: 'send',
      limit: 'scheduled',
      params: inSession,
      body: RecurringCreation,
      status: 201,
      returns: RecurringSchema,
      refuses: ['INVALID_TARGETS', 'OVERLOADED'],
      run: create,
    }),
    row({
      id: 'listRecurring',
      method: 'GET',
      path: PATH,
      summary: 'The recurring messages of this device, newest first',
      access: 'bearer',
      agents: false,
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
      summary: 'One recurring message',
      access: 'bearer',
      agents: false,
      params: inRecurring,
      status: 200,
      returns: RecurringSchema,
      run: async (world, call) => toRecurring(await known(world, call)),
    }),
    row({
      id: 'changeRecurring',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Change or pause it; what is not named stays. With another schedule or zone it begins anew',
      access: 'bearer',
      agents: false,
      scope: 'send',
      params: inRecurring,
      body: RecurringPatch,
      status: 200,
      returns: RecurringSchema,
      refuses: ['INVALID_TARGETS'],
      run: change,
    }),
    row({
      id: 'deleteRecurring',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Send it no more',
      access: 'bearer',
      agents: false,
      scope: 'send',
      params: inRecurring,
      status: 200,
      returns: Done,
      async run(world, { caller, device, params }) {
        if (!(await world.recurring.remove(caller.tenantId, device._id, params.id))) throw refusal('NOT_FOUND');
        return { ok: true as const };
      },
    }),
    row({
      id: 'runRecurring',
      method: 'POST',
      path: `${PATH}/{id}/run`,
      summary: 'Send it once now, also while it is paused; its schedule stays. CONFLICT while a run is under way',
      access: 'bearer',
      agents: false,
      scope: 'send',
      limit: 'scheduled',
      params: inRecurring,
      status: 202,
      returns: RecurringSchema,
      refuses: ['CONFLICT'],
      run,
    }),
  ],
};

async function create(world: RecurringWorld, { caller, device, body, now }: Call<unknown, unknown, RecurringBody>) {
  const targets = resolveTargets(body.targets, caller.callingCode);
  if ((await world.recurring.count(caller.tenantId, device._id, MOST)) >= MOST) throw refusal('OVERLOADED', { retryAfterMs: 60_000 });
  const draft: Omit<RecurringRow, 'due_at' | 'rev'> = {
    _id: newId(now),
    tenant_id: caller.tenantId,
    session_id: device._id,
    name: body.name,
    targets,
    ...recurringContent(body.message ?? null, await fileOf(world, caller, body.media_r2_key)),
    schedule_type: body.schedule_type,
    schedule_config: configOf(body.schedule_type, body.schedule_config ?? {}),
    timezone: body.timezone ?? (await businessZone(world, caller)),
    since: now,
    is_active: body.is_active ?? true,
    next_run_at: null,
    last_run_at: null,
    run: null,
    created_at: now,
  };
  const made = { ...draft, next_run_at: draft.is_active ? nextRunOf(draft, now) : null };
  await world.recurring.create(made);
  await announce(world, caller.tenantId, now);
  return toRecurring(made);
}

async function list({ recurring }: RecurringWorld, { caller, device, query }: Call<unknown, Paging, unknown>) {
  const { rows, next } = await pageFrom(query, (place) => recurring.list(caller.tenantId, device._id, place));
  return { recurring: rows.map(toRecurring), ...next };
}

async function known({ recurring: rows }: RecurringWorld, { caller, device, params }: Call<At, unknown, unknown>): Promise<RecurringRow> {
  const found = await rows.find(caller.tenantId, device._id, params.id);
  if (!found) throw refusal('NOT_FOUND');
  return found;
}

async function change(world: RecurringWorld, call: Call<At, unknown, Partial<RecurringBody>>) {
  const { caller, body, now } = call;
  const old = await known(world, call);
  const targets = body.targets && { targets: resolveTargets(body.targets, caller.callingCode) };
  const content = await contentOf(world, call, old);
  const changed = await world.recurring.change(caller.tenantId, old._id, (one) => {
    const patch = { ...changedBy(one, body), ...targets, ...content };
    const isAnew = body.schedule_type !== undefined || body.schedule_config !== undefined || body.timezone !== undefined;
    return { ...patch, ...rescheduled({ ...one, ...patch }, isAnew, now) };
  });
  if (!changed) throw refusal('NOT_FOUND');
  await announce(world, caller.tenantId, now);
  return toRecurring(changed);
}

/** What is sent from now on, where the body says anything of it: a file that is gone since keeps nobody from pausing. */
async function contentOf(world: RecurringWorld, { caller, body }: Call<At, unknown, Partial<RecurringBody>>, old: RecurringRow) {
  if (body.message === undefined && body.media_r2_key === undefined) return {};
  const file = await fileOf(world, caller, body.media_r2_key === undefined ? old.media_r2_key : body.media_r2_key);
  return recurringContent(body.message === undefined ? old.message : body.message, file);
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

async function run(world: RecurringWorld, call: Call<At, unknown, unknown>) {
  const { caller, now } = call;
  const { _id } = await known(world, call);
  const begun = await world.recurring.change(caller.tenantId, _id, (one) => (one.run ? null : { run: newRun(now), last_run_at: now }));
  if (!begun) throw refusal('CONFLICT');
  await announce(world, caller.tenantId, now);
  return toRecurring(begun);
}

async function fileOf({ media }: RecurringWorld, caller: Caller, key: string | null | undefined): Promise<MediaRow | null> {
  return key === null || key === undefined ? null : media.use(caller.tenantId, key);
}

async function businessZone({ tenants }: RecurringWorld, { tenantId }: Caller): Promise<string> {
  return (await tenants.find(tenantId))?.profile.timezone ?? 'UTC';
}
