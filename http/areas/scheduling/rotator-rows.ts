import Joi from 'joi';
import { beyondLimit } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type Accepted, actOnce, keyFrom, sendOnce, storedOnce } from '../../../actors/services/messaging/idempotency.ts';
import { deviceFor, type RotationDeps } from '../../../actors/services/scheduling/rotation.ts';
import { at } from '../../../runtime/invariant.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import type { RotatorPatch, RotatorRow, Strategy } from '../../../store/scheduling/rotators.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type Call, type Caller, type Lang, rowsFor } from '../../core/row.ts';
import { Done, nextPage, paging, Timestamp, Ulid } from '../../core/schemas.ts';
import { missingIn, overdueIn } from '../messages/checks.ts';
import { type MessagesServices, recipientOf, sendMessage } from '../messages/rows.ts';
import { type SendBody, SendSchema, SentSchema } from '../messages/schemas.ts';

export interface RotatorsServices extends MessagesServices, RotationDeps {
  readonly messages: Messages;
}

const STRATEGIES = ['round_robin', 'least_recent', 'random'] as const;
const PATH = '/v1/rotators';

const inRotator = Joi.object<{ id: string }, true>({ id: Ulid.required().description('A rotator') });

interface RotatorBody {
  readonly name: string;
  readonly session_ids: readonly string[];
  readonly strategy?: Strategy;
}

const fields: Joi.ObjectSchema = Joi.object({
  name: Joi.string().min(1).max(100).example('Front desks'),
  session_ids: Joi.array()
    .items(Ulid)
    .min(2)
    .max(50)
    .unique()
    .description('The devices of the rotator, in the order in which they take turns'),
  strategy: Joi.string()
    .valid(...STRATEGIES)
    .description('`round_robin` (default): each in turn; `least_recent`: the device that has waited longest; `random`'),
});
const Creation: Joi.ObjectSchema<RotatorBody> = fields.fork(['name', 'session_ids'], (schema) => schema.required());
const Patch: Joi.ObjectSchema<RotatorPatch> = fields;

const RotatorSchema = Joi.object({
  id: Ulid.required(),
  name: Joi.string().required(),
  session_ids: Joi.array().items(Ulid).required(),
  strategy: Joi.string()
    .valid(...STRATEGIES)
    .required(),
  created_at: Timestamp.required(),
  updated_at: Timestamp.required(),
}).meta({ title: 'Rotator' });

const row = rowsFor<RotatorsServices>();

type At = { readonly id: string };
type Paging = { readonly limit: number; readonly before?: number; readonly before_id?: string };

export const rotators: Area<RotatorsServices> = {
  name: 'rotators',
  about: 'Devices that send in turn. A restricted API key can use a rotator only if it can use all of its devices',
  rows: [
    row({
      id: 'createRotator',
      method: 'POST',
      path: PATH,
      summary: 'Create a rotator',
      example: { name: 'Front desks', session_ids: ['01JZX5ZB4T8QKX3N9V7C2M6D1E', '01JZX5ZB4T8QKX3N9V7C2M6D2F'], strategy: 'round_robin' },
      about: 'At most 1,000 for each business',
      audit: { action: 'rotator.create', on: 'rotators' },
      stepUp: { none: 'uses only existing devices' },
      access: 'bearer',
      deviceKeys: true,
      headers: ['idempotency-key'],
      body: Creation,
      status: 201,
      returns: RotatorSchema,
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      run: create,
    }),
    row({
      id: 'listRotators',
      method: 'GET',
      path: PATH,
      summary: 'List rotators',
      about: 'List rotators, newest first. With a restricted API key, a page may contain fewer than `limit`',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      query: Joi.object<Paging>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ rotators: Joi.array().items(RotatorSchema).required(), ...nextPage }),
      run: list,
    }),
    row({
      id: 'getRotator',
      method: 'GET',
      path: `${PATH}/{id}`,
      summary: 'Get a rotator',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inRotator,
      status: 200,
      returns: RotatorSchema,
      run: async (services, { caller, params }) => toRotator(await known(services, caller, params.id)),
    }),
    row({
      id: 'changeRotator',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Update a rotator',
      example: { name: 'All desks' },
      about: 'Omitted fields are unchanged. A chat keeps its device as long as the device is connected and part of the rotator',
      audit: { action: 'rotator.update', on: 'rotators' },
      stepUp: { none: 'uses only existing devices' },
      access: 'bearer',
      deviceKeys: true,
      params: inRotator,
      body: Patch,
      status: 200,
      returns: RotatorSchema,
      run: change,
    }),
    row({
      id: 'deleteRotator',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Delete a rotator',
      about: 'The devices and their waiting messages are kept',
      audit: { action: 'rotator.delete', on: 'rotators' },
      stepUp: { none: 'uses only existing devices' },
      access: 'bearer',
      deviceKeys: true,
      params: inRotator,
      status: 200,
      returns: Done,
      async run(services, { caller, params }) {
        await known(services, caller, params.id);
        await services.rotators.remove(caller.tenantId, params.id);
        return { ok: true as const };
      },
    }),
    row({
      id: 'sendOverRotator',
      method: 'POST',
      path: `${PATH}/{id}/messages`,
      summary: 'Send through a rotator',
      about: 'Send a message through the next connected device. A chat keeps its device as long as the device is connected',
      audit: { none: 'the message log records the message' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'send',
      params: inRotator,
      headers: ['idempotency-key'],
      body: SendSchema,
      check: missingIn,
      timely: overdueIn,
      status: 202,
      returns: SentSchema.keys({ session_id: Ulid.required().description('The device that sends it') }).meta({ title: 'RotatorSent' }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'URL_BLOCKED', 'CONFLICT', 'RECIPIENT_OPTED_OUT', 'OVERLOADED'],
      run: send,
    }),
  ],
};

const MAX_ROTATORS = 1_000;

async function create(services: RotatorsServices, { caller, body, sent, header, now }: Call<unknown, unknown, RotatorBody>) {
  await expectDevices(services, caller, body.session_ids);
  const asked = { key: keyFrom(header('idempotency-key')), tenantId: caller.tenantId, request: ['rotator', sent] };
  const { answer } = await actOnce(services, asked, now, async (id, isAgain) => {
    const find = () => services.rotators.find(caller.tenantId, id);
    return toRotator((isAgain ? await find() : null) ?? (await storedOnce(createUnder(services, caller, body, id, now), find)));
  });
  return answer;
}

async function createUnder(services: RotatorsServices, caller: Caller, body: RotatorBody, id: string, now: number): Promise<RotatorRow> {
  const { name, session_ids, strategy = 'round_robin' } = body;
  const times = { created_at: now, updated_at: now };
  const made: RotatorRow = {
    _id: id,
    tenant_id: caller.tenantId,
    name,
    session_ids,
    strategy,
    last: null,
    used: {},
    rev: 0,
    ...times,
  };
  if (!(await services.rotators.createWithin(made, MAX_ROTATORS))) throw beyondLimit(MAX_ROTATORS, { en: 'rotators', id: 'rotator' });
  return made;
}

async function list({ rotators }: RotatorsServices, { caller, query }: Call<unknown, Paging, unknown>) {
  const { entries, next } = await pageFrom(caller.tenantId, query, {
    list: (page) => rotators.list(caller.tenantId, page),
    keep: caller.key?.sessionIds ? (rows) => rows.filter((one) => isAllowed(caller, one.session_ids)) : null,
    show: toRotator,
  });
  return { rotators: entries, ...next };
}

async function change(services: RotatorsServices, { caller, params, body, now }: Call<At, unknown, RotatorPatch>) {
  await known(services, caller, params.id);
  if (body.session_ids) await expectDevices(services, caller, body.session_ids);
  const changed = await services.rotators.change(caller.tenantId, params.id, body, now);
  if (!changed) throw refusal('NOT_FOUND');
  return toRotator(changed);
}

async function send(services: RotatorsServices, call: Call<At, unknown, SendBody>) {
  const { caller, params, body, header, lang, now } = call;
  const rotator = await known(services, caller, params.id);
  const key = keyFrom(header('idempotency-key'));
  if (key === undefined) return sendOn(services, rotator, { caller, body, lang, now });
  // Searches all devices, because the rotator's devices may have changed since the message was
  // sent.
  const find = (id: string): Promise<MessageRow | null> => services.messages.findAnywhere(caller.tenantId, id);
  const replayable = { ...services, messages: { find: (_tenant: string, _rotator: string, id: string) => find(id) } };
  const accepted = await sendOnce(replayable, { key, device: rotator, request: call.sent }, now, (id) =>
    sendOn(services, rotator, { caller, body, lang, now }, id),
  );
  return { ...accepted, session_id: (await find(accepted.id))?.session_id ?? at(rotator.session_ids, 0) };
}

interface RotatorMessageRequest {
  readonly caller: Caller;
  readonly body: SendBody;
  readonly lang: Lang;
  readonly now: number;
}

async function sendOn(
  services: RotatorsServices,
  rotator: RotatorRow,
  asked: RotatorMessageRequest,
  id?: string,
): Promise<Accepted & { readonly session_id: string }> {
  const { caller, body, now } = asked;
  const chat = await recipientOf(services, { caller, device: await askingFor(services, rotator, body), body, now });
  const device = await deviceFor(services, rotator, { chat, mayWait: body.connect_only === false, now });
  return { ...(await sendMessage(services, { ...asked, device, chat }, id)), session_id: device._id };
}

async function askingFor({ devices }: RotatorsServices, rotator: RotatorRow, { recipient }: SendBody): Promise<DeviceRow | null> {
  if (recipient === undefined || 'lid' in recipient) return null;
  const own = await devices.list(rotator.tenant_id, rotator.session_ids);
  return own.find(({ status }) => status === 'connected') ?? null;
}

async function known({ rotators: rows }: RotatorsServices, caller: Caller, id: string): Promise<RotatorRow> {
  const found = await rows.find(caller.tenantId, id);
  if (!found) throw refusal('NOT_FOUND');
  if (!isAllowed(caller, found.session_ids)) throw refusal('FORBIDDEN');
  return found;
}

async function expectDevices({ devices }: RotatorsServices, caller: Caller, ids: readonly string[]): Promise<void> {
  const found = new Set((await devices.list(caller.tenantId, ids)).map(({ _id }) => _id));
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) throw refusal('NOT_FOUND', { reason: `session_ids: ${missing}` });
  if (!isAllowed(caller, ids)) throw refusal('FORBIDDEN');
}

const isAllowed = ({ key }: Caller, ids: readonly string[]): boolean => {
  const allowed = key?.sessionIds;
  return !allowed || ids.every((id) => allowed.includes(id));
};

function toRotator({ _id: id, name, session_ids, strategy, created_at, updated_at }: RotatorRow) {
  return { id, name, session_ids, strategy, created_at, updated_at };
}
