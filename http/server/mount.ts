/**
 * Serves one endpoint. `serve` runs all checks and the handler, for hapi and for the direct path
 * (direct.ts). `answer` writes the result or error through hapi.
 */

import { Readable } from 'node:stream';
import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import Joi from 'joi';
import { type Fault, invalid, refusal, tooLarge } from '../../actors/domain/refusals.ts';
import { Refusal } from '../../runtime/errors.ts';
import { fairSlices } from '../../runtime/fair-slices.ts';
import { safeTexts } from '../../runtime/safe-text.ts';
import { isRecord } from '../../runtime/shapes.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';
import { admit, expectFreshFactor, stepUpOf } from '../auth/admit.ts';
import { audited, auditRefusal } from '../core/audited.ts';
import type { AuthContext } from '../core/authenticator-port.ts';
import type { AnyCall, BoundRow } from '../core/bind.ts';
import { expectJson, expectType, hasBody, MAX_BODY_BYTES, MAX_KEYS, MAX_OPEN_BODY_BYTES, parseJson } from '../core/body.ts';
import { CallerLeft } from '../core/body-intake.ts';
import { addressOf, networkOf } from '../core/caller-address.ts';
import { cookieIn } from '../core/cookies.ts';
import type { Engine, RowFacts } from '../core/engine.ts';
import { toWire, type Wire } from '../core/errors.ts';
import type { Exchange } from '../core/exchange.ts';
import { bothOf, checking, orUnknown } from '../core/input.ts';
import { describe, hasKey } from '../core/joi-reflection.ts';
import { langAskedBy, langOf } from '../core/language.ts';
import { LONG_BYTES, longJson } from '../core/long-json.ts';
import { type Caller, namesDevice, Ongoing, Raw, type Upload } from '../core/row.ts';
import { expectSameOrigin } from '../core/same-origin.ts';
import { type Validate, validator } from '../core/validate.ts';

export interface Prepared {
  readonly engine: Engine;
  readonly facts: RowFacts;
  run(call: AnyCall): unknown;
  readonly params: Validate;
  readonly query: Validate;
  readonly body: Validate;
  readonly keyedBody: Validate;
  readonly queryTakesLang: boolean;
  readonly namesDevice: boolean;
}

export function prepare(engine: Engine, { facts, run }: BoundRow): Prepared {
  const form = validator(facts.body, { convert: false, where: 'body' });
  const faultsIn = (body: object): readonly Fault[] => facts.check?.(body, engine.clock.now()) ?? [];
  return {
    engine,
    facts,
    run,
    params: validator(facts.params ?? anyParams(facts.path), { convert: true, where: 'path' }),
    query: validator(facts.query, { convert: true, where: 'query' }),
    body: checking(form, (body) => [...faultsIn(body), ...(facts.timely?.(body, engine.clock.now()) ?? [])]),
    keyedBody: checking(form, faultsIn),
    queryTakesLang: facts.query !== undefined && hasKey(facts.query, 'lang'),
    namesDevice: namesDevice(facts),
  };
}

function anyParams(path: string): Joi.ObjectSchema {
  return Joi.object(Object.fromEntries([...path.matchAll(/\{(\w+)[^}]*\}/g)].map(([, name]) => [name, Joi.string().required()])));
}

/** If the direct path has already run the handler, only writes its outcome. */
export async function answer(row: Prepared, request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
  request.app.row = row.facts;
  try {
    const { outcome } = request.app;
    return written(row, outcome ? outcome() : await serve(row, request), request, h);
  } catch (cause) {
    await auditRefusal(row.engine, row.facts, request, cause);
    const isComplete = await row.engine.intake.discard(request.raw.req);
    const response = refused(row.engine, request, h, cause);
    return isComplete ? response : response.header('connection', 'close');
  }
}

/** Runs the checks in the order 401, 403, 429, 400, 404. */
export async function serve(row: Prepared, request: Exchange): Promise<unknown> {
  const { engine, facts } = row;
  if (engine.isDraining() && !facts.probe) throw refusal('UNAVAILABLE');
  if (facts.access !== 'none' && engine.isStoreAway?.()) throw refusal('UNAVAILABLE');
  if (facts.sameOrigin) expectSameOrigin(request.raw.req.headers, engine.isKnownOrigin);
  if (facts.knownOrigins) expectKnownOrigin(engine, request);
  const askedAt = engine.clock.now();
  const admitted = admit(engine, facts, request, askedAt);
  // Does not await a value that is already available, because awaiting would create promises.
  const auth = admitted instanceof Promise ? await admitted : admitted;
  const params = orUnknown(() => row.params(request.params));
  let leave = (): void => {};
  const itsTurn = async (): Promise<void> => {
    if (auth) leave = await engine.heavyCalls.enter(auth.caller.tenantId);
  };
  try {
    const reading = bothOf(
      () => row.query(row.queryTakesLang ? request.query : withoutLang(request.query)),
      // An invalid query is reported without reading the uploaded file.
      facts.bytes ? 'inTurn' : 'together',
      () => bodyOf(row, request, auth, itsTurn),
    );
    const { query, body } = reading instanceof Promise ? await reading : reading;
    // Reads the clock again, because a heavy call may have waited for its slot since `askedAt`.
    const now = facts.heavy ? engine.clock.now() : askedAt;
    expectFreshFactor(facts, auth?.caller, now);
    const device = row.namesDevice && auth ? await deviceOf(engine, auth.caller, request.params) : undefined;
    const call = callFrom(row, request, { params, query, body, now, auth, device });
    // The response to HEAD has no body, so the request must not use up a connection slot or a ticket.
    if (request.method === 'head' && facts.produces?.includes(EVENT_STREAM)) return new Raw('', EVENT_STREAM);
    return await audited(engine, facts, request.app, call, () => row.run(call));
  } finally {
    leave();
  }
}

const EVENT_STREAM = 'text/event-stream';

const FOREIGN_ORIGIN = {
  en: 'requests from this origin are not allowed; the operator can add it to CORS_ORIGINS',
  id: 'permintaan dari origin ini tidak diizinkan; operator dapat menambahkannya ke CORS_ORIGINS',
};

/**
 * Rejects requests from foreign origins. With DNS rebinding, the host name of such a page may
 * resolve to this host.
 */
function expectKnownOrigin({ isKnownOrigin }: Engine, { headers }: Exchange): void {
  const { origin } = headers;
  if (typeof origin === 'string' && !isKnownOrigin(origin)) throw refusal('FORBIDDEN', { reason: FOREIGN_ORIGIN });
}

function withoutLang(query: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (query['lang'] === undefined) return query;
  const { lang: _chosen, ...rest } = query;
  return rest;
}

/** Waits for a slot only after the body has arrived, so that a slow sender does not occupy it. */
function bodyOf(row: Prepared, request: Exchange, auth: AuthContext | null, itsTurn: () => Promise<void>): unknown {
  const { engine, facts } = row;
  const { method, raw } = request;
  if (method === 'get') return facts.heavy && itsTurn();
  const { bytes: takes, maxKeys, maxBytes = isOpen(facts) ? MAX_OPEN_BODY_BYTES : MAX_BODY_BYTES } = facts;
  if (takes?.stream) return uploadOf(engine, raw.req, takes);
  const owner = auth?.caller.tenantId ?? networkOf(addressOf(request, engine.trustedProxies));
  const read = <T>(most: number, use: (bytes: Buffer) => T | Promise<T>): Promise<T> =>
    engine.intake.read(raw.req, most, owner, facts.heavy ? (bytes) => itsTurn().then(() => use(bytes)) : use);
  if (takes) {
    const type = expectType(raw.req, takes.types);
    return read(takes.maxBytes, (bytes) => ({ type, bytes }));
  }
  if (hasBody(raw.req)) expectJson(raw.req);
  const validBody = request.headers['idempotency-key'] === undefined ? row.body : row.keyedBody;
  return read(maxBytes, (bytes) => valueIn(bytes, maxKeys, owner)).then((value) => validBody(value, () => fairSlices.turn(owner)));
}

function valueIn(bytes: Buffer, maxKeys: number | undefined, owner: string): unknown {
  if (bytes.length <= LONG_BYTES) return parseJson(bytes, maxKeys);
  return longJson(bytes, { maxKeys: maxKeys ?? MAX_KEYS, turn: () => fairSlices.turn(owner) });
}

const isOpen = ({ access, loopback }: RowFacts): boolean => access === 'none' && !loopback;

function uploadOf(engine: Engine, stream: Exchange['raw']['req'], { types, maxBytes, form }: NonNullable<RowFacts['bytes']>): Upload {
  if (stream.destroyed) throw new CallerLeft();
  if (Number(stream.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
  const type = expectType(stream, types);
  // Closes the connection if the sender is too slow. Such a caller could not receive a response.
  engine.intake.watch(stream, () => stream.destroy());
  return { type, stream, maxBytes, ...(form && { fields: Object.keys(describe(form).keys ?? {}) }) };
}

export function timelyOf({ timely }: RowFacts, body: unknown, now: number): () => void {
  return () => {
    const faults = isRecord(body) ? (timely?.(body, now) ?? []) : [];
    if (faults.length > 0) throw invalid(faults);
  };
}

type Params = Readonly<Record<string, unknown>>;

export async function deviceOf({ devices, visibility, numbers }: Engine, caller: Caller, params: Params): Promise<DeviceRow> {
  const device = await devices.find(caller.tenantId, String(params['sessionId']));
  if (!device) throw refusal('NOT_FOUND');
  if (caller.role === 'agent') await expectVisible({ visibility, numbers }, caller, device, params);
  return device;
}

async function expectVisible(
  { visibility, numbers }: Pick<Engine, 'visibility' | 'numbers'>,
  caller: Caller,
  device: DeviceRow,
  params: Params,
): Promise<void> {
  const { chatId, messageId } = params;
  if (typeof chatId === 'string') await visibility.expectChat(caller.agentId, device, await numbers.chat(caller, chatId));
  if (typeof messageId === 'string') await visibility.expectMessage(caller.agentId, device, messageId);
}

interface Checked {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly now: number;
  readonly auth: AuthContext | null;
  readonly device: DeviceRow | undefined;
}

function callFrom({ engine, facts }: Prepared, request: Exchange, { params, query, body, now, auth, device }: Checked): AnyCall {
  const langAsked = langAskedBy(request);
  return {
    caller: auth?.caller,
    expectStepUp: stepUpOf(facts, auth?.caller, now),
    expectTimely: timelyOf(facts, body, now),
    operator: request.app.operator,
    params: safeTexts(params),
    query: safeTexts(query),
    body: safeTexts(body),
    sent: body,
    lang: langAsked ?? 'en',
    langAsked,
    address: addressOf(request, engine.trustedProxies),
    requestId: request.app.id ?? '',
    cookie: facts.cookie && cookieIn(request.raw.req.headers.cookie, facts.cookie),
    header: (name: string) => headerOf(facts, request, name),
    now,
    device,
  };
}

function headerOf({ headers = [], id }: RowFacts, request: Exchange, name: string): string | undefined {
  if (!headers.includes(name)) throw new Error(`row ${id} does not name the header ${name}`);
  const value: unknown = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function written({ engine, facts }: Prepared, result: unknown, request: Request, h: ResponseToolkit): ResponseObject {
  if (result instanceof Ongoing) {
    request.app.ongoing = result;
    return h.response().type(result.type).code(facts.status);
  }
  if (result instanceof Raw) {
    const { body } = result;
    if (body instanceof Readable) watch(body, engine, request);
    else engine.unread.begins(request.raw.res, body.length);
    const response = h
      .response(body)
      .type(result.type)
      .code(result.status ?? facts.status);
    for (const [name, value] of Object.entries(result.headers)) response.header(name, value);
    return response;
  }
  const text = JSON.stringify(expectSound(engine, facts, result));
  engine.unread.begins(request.raw.res, text.length);
  return h.response(text).type('application/json; charset=utf-8').code(facts.status);
}

/** In tests, also fails if the result does not match the endpoint's documentation. */
export function expectSound({ checkAnswers }: Engine, facts: RowFacts, result: unknown): object {
  if (result === undefined || result === null) throw new Error(`row ${facts.id} answered nothing`);
  if (checkAnswers) expectDocumented(facts, result);
  return result;
}

/**
 * Logs the error of a response body that fails while it is being sent. The response is then cut
 * off.
 */
function watch(body: Readable, { log }: Engine, request: Request): void {
  const { id, row } = request.app;
  body.on('error', (cause) => log.error({ event: 'http.answer_broken', req: id, row: row?.id, err: cause }, 'a response was cut off'));
}

export function expectDocumented({ id, returns }: RowFacts, result: unknown): void {
  const { error } = returns.validate(JSON.parse(JSON.stringify(result)), { convert: false });
  if (error) throw new Error(`row ${id} answers what it does not document: ${error.message}`);
}

export function told(engine: Engine, request: Exchange, cause: unknown): Wire {
  const wire = toWire(cause, langOf(request), engine.isStoreDown);
  const isFailure = wire.body.code === 'INTERNAL';
  if (isFailure && (cause instanceof CallerLeft || cause === request.raw.req.errored || isGone(request))) return wire;
  request.app.refusedWith = wire.body.code;
  if (wire.limit) request.app.verdict = wire.limit;
  if (isFailure)
    engine.log.error({ event: 'http.request_failed', req: request.app.id, row: request.app.row?.id, err: cause }, 'request failed');
  if (wire.status === 401) logRefusedCredentials(engine, request, cause);
  return wire;
}

export function refused(engine: Engine, request: Request, h: ResponseToolkit, cause: unknown): ResponseObject {
  const wire = told(engine, request, cause);
  const { status, retryAfterSeconds, allow } = wire;
  const response = h.response(request.app.row?.shownError?.(wire) ?? wire.body).code(status);
  if (allow !== null) response.header('allow', allow);
  if (status === 401 && request.app.row?.access !== 'operator') response.header('www-authenticate', 'Bearer');
  return retryAfterSeconds === null ? response : response.header('retry-after', String(retryAfterSeconds));
}

/** Logs no more of a credential than is shown to its owner. */
function logRefusedCredentials({ log, trustedProxies }: Engine, request: Exchange, cause: unknown): void {
  const token = /^bearer +(\S+)/i.exec(String(request.headers.authorization ?? ''))?.[1];
  const because: unknown = cause instanceof Refusal ? cause.details['because'] : undefined;
  log.warn(
    {
      event: 'auth.refused',
      req: request.app.id,
      row: request.app.row?.id,
      address: addressOf(request, trustedProxies),
      ...(token !== undefined && { prefix: token.slice(0, PREFIX_LENGTH) }),
      because: because ?? 'refused',
    },
    'credentials were refused',
  );
}

const PREFIX_LENGTH = 8;

const isGone = ({ raw }: Exchange): boolean => raw.req.destroyed && !raw.req.complete;
