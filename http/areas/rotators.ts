import Joi from 'joi';
import { type Accepted, keyFrom, sendOnce } from '../../actors/idempotency.ts';
import { deviceFor, type RotationPorts } from '../../actors/later/rotation.ts';
import { resolveChat } from '../../actors/phone-numbers.ts';
import { refusal } from '../../actors/refusals.ts';
import { newId } from '../../runtime/ids.ts';
import type { MessageRow, Messages } from '../../store/messages.ts';
import type { RotatorPatch, RotatorRow, Strategy } from '../../store/rotators.ts';
import { pageFrom } from '../paging.ts';
import { type Area, type Call, type Caller, type Lang, rowsFor } from '../row.ts';
import { Done, nextPage, paging, Timestamp } from '../schemas.ts';
import { type SendBody, SendSchema, SentSchema } from './message-schemas.ts';
import { type MessagesWorld, sendMessage } from './messages.ts';
import { Ulid } from './session-schemas.ts';

export interface RotatorsWorld extends MessagesWorld, RotationPorts {
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
  session_ids: Joi.array().items(Ulid).min(2).max(50).unique().description('Its devices, in the order of their turns'),
  strategy: Joi.string()
    .valid(...STRATEGIES)
    .description('Default `round_robin`: each in turn; `least_recent`: who has not had a turn for longest; `random`'),
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

const row = rowsFor<RotatorsWorld>();

type At = { readonly id: string };
type Paging = { readonly limit: number; readonly before?: number; readonly before_id?: string };

export const rotators: Area<RotatorsWorld> = {
  name: 'rotators',
  about: 'Devices that take turns. An API key that is restricted to some devices may use a rotator whose devices are all among them',
  rows: [
    row({
      id: 'createRotator',
      method: 'POST',
      path: PATH,
      summary: 'Let devices take turns',
      access: 'bearer',
      agents: false,
      body: Creation,
      status: 201,
      returns: RotatorSchema,
      run: create,
    }),
    row({
      id: 'listRotators',
      method: 'GET',
      path: PATH,
      summary: 'All rotators, newest first. To an API key that is restricted to some devices a page may show fewer than `limit`',
      access: 'bearer',
      query: Joi.object<Paging>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ rotators: Joi.array().items(RotatorSchema).required(), ...nextPage }),
      run: list,
    }),
    row({
      id: 'getRotator',
      method: 'GET',
      path: `${PATH}/{id}`,
      summary: 'One rotator',
      access: 'bearer',
      params: inRotator,
      status: 200,
      returns: RotatorSchema,
      run: async (world, { caller, params }) => toRotator(await known(world, caller, params.id)),
    }),
    row({
      id: 'changeRotator',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Change a rotator; what is not named stays. A chat keeps its device while that is in it and connected',
      access: 'bearer',
      agents: false,
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
      summary: 'Remove a rotator; its devices and what they have to send stay',
      access: 'bearer',
      agents: false,
      params: inRotator,
      status: 200,
      returns: Done,
      async run(world, { caller, params }) {
        await known(world, caller, params.id);
        await world.rotators.remove(caller.tenantId, params.id);
        return { ok: true as const };
      },
    }),
    row({
      id: 'sendOverRotator',
      method: 'POST',
      path: `${PATH}/{id}/messages`,
      summary: 'Send a message on the next connected device; a chat keeps its device while that is connected',
      access: 'bearer',
      scope: 'send',
      limit: 'send',
      params: inRotator,
      headers: ['idempotency-key'],
      body: SendSchema,
      status: 202,
      returns: SentSchema.keys({ session_id: Ulid.required().description('The device that sends it') }).meta({ title: 'RotatorSent' }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'URL_BLOCKED', 'CONFLICT', 'RECIPIENT_OPTED_OUT', 'IDEMPOTENCY_KEY_REUSED', 'OVERLOADED'],
      run: send,
    }),
  ],
};

async function create(world: RotatorsWorld, { caller, body, now }: Call<unknown, unknown, RotatorBody>) {
  await expectDevices(world, caller, body.session_ids);
  const { name, session_ids, strategy = 'round_robin' } = body;
  const times = { created_at: now, updated_at: now };
  const made: RotatorRow = {
    _id: newId(now),
    tenant_id: caller.tenantId,
    name,
    session_ids,
    strategy,
    last: null,
    used: {},
    rev: 0,
    ...times,
  };
  await world.rotators.create(made);
  return toRotator(made);
}

async function list({ rotators }: RotatorsWorld, { caller, query }: Call<unknown, Paging, unknown>) {
  const { rows, next } = await pageFrom(query, (place) => rotators.list(caller.tenantId, place));
  return { rotators: rows.filter((one) => isAllowed(caller, one.session_ids)).map(toRotator), ...next };
}

async function change(world: RotatorsWorld, { caller, params, body, now }: Call<At, unknown, RotatorPatch>) {
  await known(world, caller, params.id);
  if (body.session_ids) await expectDevices(world, caller, body.session_ids);
  const changed = await world.rotators.change(caller.tenantId, params.id, body, now);
  if (!changed) throw refusal('NOT_FOUND');
  return toRotator(changed);
}

async function send(world: RotatorsWorld, { caller, params, body, header, lang, now }: Call<At, unknown, SendBody>) {
  const rotator = await known(world, caller, params.id);
  const key = keyFrom(header('idempotency-key'));
  if (key === undefined) return sendOn(world, rotator, { caller, body, lang, now });
  const replayable = { ...world, messages: { find: (_tenant: string, _rotator: string, id: string) => findOn(world, rotator, id) } };
  const sent = await sendOnce(replayable, { key, device: rotator, request: body }, now, (id) =>
    sendOn(world, rotator, { caller, body, lang, now }, id),
  );
  return { ...sent, session_id: (await findOn(world, rotator, sent.id))?.session_id ?? rotator.session_ids[0]! };
}

interface Asked {
  readonly caller: Caller;
  readonly body: SendBody;
  readonly lang: Lang;
  readonly now: number;
}

async function sendOn(
  world: RotatorsWorld,
  rotator: RotatorRow,
  asked: Asked,
  id?: string,
): Promise<Accepted & { readonly session_id: string }> {
  const { caller, body, now } = asked;
  const chat = await world.people.canonical(caller.tenantId, resolveChat(body.chat_id, body.country_code ?? caller.callingCode));
  const device = await deviceFor(world, rotator, { chat, mayWait: body.connect_only === false, now });
  return { ...(await sendMessage(world, { ...asked, device }, id)), session_id: device._id };
}

/** A message that one of its devices sent. */
async function findOn({ messages }: RotatorsWorld, { tenant_id, session_ids }: RotatorRow, id: string): Promise<MessageRow | null> {
  const found = await Promise.all(session_ids.map((sessionId) => messages.find(tenant_id, sessionId, id)));
  return found.find((row) => row !== null) ?? null;
}

async function known({ rotators: rows }: RotatorsWorld, caller: Caller, id: string): Promise<RotatorRow> {
  const found = await rows.find(caller.tenantId, id);
  if (!found) throw refusal('NOT_FOUND');
  if (!isAllowed(caller, found.session_ids)) throw refusal('FORBIDDEN');
  return found;
}

async function expectDevices({ devices }: RotatorsWorld, caller: Caller, ids: readonly string[]): Promise<void> {
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
