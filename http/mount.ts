import { Readable } from 'node:stream';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit, ServerRoute } from '@hapi/hapi';
import Joi from 'joi';
import { resolveChat } from '../actors/phone-numbers.ts';
import { refusal } from '../actors/refusals.ts';
import type { DeviceRow } from '../store/devices.ts';
import { admit } from './admit.ts';
import { drain, expectJson, expectType, hasBody, MAX_BODY_BYTES, parseJson, readBody } from './body.ts';
import { addressOf } from './caller-address.ts';
import type { Engine, RowFacts } from './engine.ts';
import { toWire } from './errors.ts';
import type { Pass } from './gate.ts';
import { langOf } from './language.ts';
import { type Area, type Call, type Caller, Ongoing, Raw, type Upload } from './row.ts';
import { type Validate, validator } from './validate.ts';

type AnyCall = Call<unknown, unknown, unknown>;

/** A row with its world already inside. */
export interface BoundRow {
  readonly facts: RowFacts;
  run(call: AnyCall): unknown;
}

/** An area that no longer shows which world it needs, so that areas of different worlds fit one table. */
export interface BoundArea {
  readonly name: string;
  readonly about: string;
  readonly rows: readonly BoundRow[];
}

/** Gives an area the part of the world that its rows work on. */
export function bind<World>({ name, about, rows }: Area<World>, world: World): BoundArea {
  return { name, about, rows: rows.map((row) => ({ facts: row, run: (call: AnyCall) => row.run(world, call) })) };
}

/** A row ready to serve: its schemas compiled. */
interface Prepared {
  readonly engine: Engine;
  readonly facts: RowFacts;
  run(call: AnyCall): unknown;
  readonly params: Validate;
  readonly query: Validate;
  readonly body: Validate;
  readonly queryTakesLang: boolean;
  readonly namesDevice: boolean;
}

/** One row as a hapi route. hapi only routes and writes; all checks are ours, in the order 401, 403, 429, 400, 404. */
export function toHapi(engine: Engine, { facts, run }: BoundRow): ServerRoute {
  const prepared: Prepared = {
    engine,
    facts,
    run,
    params: validator(facts.params ?? anyParams(facts.path), { convert: true, where: 'path' }),
    query: validator(facts.query, { convert: true, where: 'query' }),
    body: validator(facts.body, { convert: false, where: 'body' }),
    queryTakesLang: facts.query?.$_terms['keys']?.some(({ key }: { key: string }) => key === 'lang') ?? false,
    namesDevice: facts.path.includes('{sessionId}'),
  };
  return {
    method: facts.method,
    path: facts.path,
    options: { ...(facts.method !== 'GET' && { payload: UNREAD }) },
    handler: (request, h) => answer(prepared, request, h),
  };
}

/** hapi hands the stream over unjudged: credentials are checked before a byte of it is read. */
const UNREAD = {
  parse: false,
  output: 'stream',
  timeout: false,
  override: 'application/octet-stream',
  maxBytes: Number.MAX_SAFE_INTEGER,
} as const;

function anyParams(path: string): Joi.ObjectSchema {
  return Joi.object(Object.fromEntries([...path.matchAll(/\{(\w+)[^}]*\}/g)].map(([, name]) => [name, Joi.string().required()])));
}

async function answer(row: Prepared, request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
  request.app.row = row.facts;
  try {
    return written(row, await serve(row, request), request, h);
  } catch (cause) {
    await drain(request.raw.req);
    return refused(row.engine, request, h, cause);
  }
}

async function serve(row: Prepared, request: Request): Promise<unknown> {
  const { engine, facts } = row;
  if (engine.isDraining() && !facts.probe) throw refusal('UNAVAILABLE');
  const now = engine.clock.now();
  const pass = await admit(engine, facts, request, now);
  const params = row.params(request.params);
  const query = row.query(row.queryTakesLang ? request.query : withoutLang(request.query));
  const body = await bodyOf(row, request);
  const device = row.namesDevice && pass ? await deviceOf(engine, pass, request) : undefined;
  return row.run(callFrom(row, request, { params, query, body, now, pass, device }));
}

/** Convention 5: every row takes `lang`, though hardly any handler looks at it. */
function withoutLang(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (query['lang'] === undefined) return query;
  const { lang: _chosen, ...rest } = query;
  return rest;
}

async function bodyOf(row: Prepared, { method, raw }: Request): Promise<unknown> {
  if (method === 'get') return undefined;
  const { bytes: takes, maxKeys, maxBytes = MAX_BODY_BYTES } = row.facts;
  if (takes?.stream) return uploadOf(raw.req, takes);
  if (takes) return { type: expectType(raw.req, takes.types), bytes: await readBody(raw.req, takes.maxBytes) };
  if (hasBody(raw.req)) expectJson(raw.req);
  return row.body(parseJson(await readBody(raw.req, maxBytes), maxKeys));
}

function uploadOf(stream: Request['raw']['req'], { types, maxBytes }: { types: readonly string[]; maxBytes: number }): Upload {
  if (Number(stream.headers['content-length']) > maxBytes) throw refusal('PAYLOAD_TOO_LARGE');
  return { type: expectType(stream, types), stream };
}

type Params = Readonly<Record<string, unknown>>;

async function deviceOf({ devices, sight }: Engine, { caller }: Pass, { params }: Request): Promise<DeviceRow> {
  const device = await devices.find(caller.tenantId, String(params['sessionId']));
  if (!device) throw refusal('NOT_FOUND');
  if (caller.role === 'agent') await expectInSight(sight, caller, device, params);
  return device;
}

/** For an agent, what belongs to the chat of another one does not exist. */
async function expectInSight(sight: Engine['sight'], { agentId, callingCode }: Caller, device: DeviceRow, params: Params): Promise<void> {
  const { chatId, messageId } = params;
  if (typeof chatId === 'string') await sight.expectChat(agentId, device, resolveChat(chatId, callingCode));
  if (typeof messageId === 'string') await sight.expectMessage(agentId, device, messageId);
}

interface Checked {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly now: number;
  readonly pass: Pass | null;
  readonly device: DeviceRow | undefined;
}

/** `caller` and `device` are absent exactly where http/row.ts says so; their types do not, for the sake of all other rows. */
function callFrom({ engine, facts }: Prepared, request: Request, { params, query, body, now, pass, device }: Checked): AnyCall {
  const call = {
    caller: pass?.caller,
    params,
    query,
    body,
    lang: langOf(request),
    address: addressOf(request, engine.trustedProxies),
    header: (name: string) => headerOf(facts, request, name),
    now,
    device,
  };
  return call as AnyCall;
}

function headerOf({ headers = [], id }: RowFacts, request: Request, name: string): string | undefined {
  if (!headers.includes(name)) throw new Error(`row ${id} does not name the header ${name}`);
  const value: unknown = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function written({ engine, facts }: Prepared, result: unknown, request: Request, h: ResponseToolkit): ResponseObject {
  if (result instanceof Ongoing) {
    // A HEAD request has no body that could go on.
    if (request.method !== 'head') request.app.ongoing = result;
    return h.response().type(result.type).code(facts.status);
  }
  if (result instanceof Raw) {
    if (result.body instanceof Readable) watch(result.body, engine, request);
    const response = h
      .response(result.body)
      .type(result.type)
      .code(result.status ?? facts.status);
    for (const [name, value] of Object.entries(result.headers)) response.header(name, value);
    return response;
  }
  if (result === undefined || result === null) throw new Error(`row ${facts.id} answered nothing`);
  if (engine.checkAnswers) expectDocumented(facts, result);
  return h.response(result).code(facts.status);
}

/** A body that fails on its way can only break off: nobody but the log hears why. */
function watch(body: Readable, { log }: Engine, request: Request): void {
  const { id, row } = request.app;
  body.on('error', (cause) => log.error({ req: id, row: row?.id, err: cause }, 'an answer broke off'));
}

function expectDocumented({ id, returns }: RowFacts, result: unknown): void {
  const { error } = returns.validate(JSON.parse(JSON.stringify(result)), { convert: false });
  if (error) throw new Error(`row ${id} answers what it does not document: ${error.message}`);
}

/** Any failure, as the caller sees it. Bugs are logged here, with the request's id and nothing of its content. */
export function refused(engine: Engine, request: Request, h: ResponseToolkit, cause: unknown): ResponseObject {
  const { status, body, retryAfterSeconds } = toWire(cause, langOf(request), engine.isStoreDown);
  if (body.code === 'INTERNAL' && !isGone(request))
    engine.log.error({ req: request.app.id, row: request.app.row?.id, err: cause }, 'request failed');
  const response = h.response(body).code(status);
  return retryAfterSeconds === null ? response : response.header('retry-after', String(retryAfterSeconds));
}

const isGone = ({ raw }: Request): boolean => raw.req.destroyed && !raw.req.complete;
