/**
 * Admission of requests: access, scopes, device restrictions, rate limits and step-up, all derived
 * from the endpoint's row in the endpoint table. Checks run in the order 401, 403, 429. Nothing is
 * stored here: the authenticator checks credentials, and the limits count calls.
 */

import { refusal } from '../../actors/domain/refusals.ts';
import { unreachable } from '../../runtime/actor-system/behaviour.ts';
import type { SlidingWindow } from '../../runtime/cluster/port.ts';
import { at, before } from '../../runtime/invariant.ts';
import { whenThere } from '../../runtime/when-there.ts';
import { API_KEY, type AuthContext } from '../core/authenticator-port.ts';
import { addressOf } from '../core/caller-address.ts';
import type { Engine, RowFacts } from '../core/engine.ts';
import type { Exchange } from '../core/exchange.ts';
import { asksForCode, type Caller, type Limit, type Scope } from '../core/row.ts';
import { type LimitResult, takeOrRefuse } from '../limits/limits.ts';

const MINUTE_MS = 60_000;

const PER_MINUTE: Readonly<Record<Exclude<Limit, 'send'>, number>> = { validate: 10, scheduled: 20, blast: 5, bulk: 3 };

/**
 * Returns null for endpoints outside a tenant. A call refused with 403 counts towards the limits,
 * but one refused with 429 does not.
 */
export function admit(engine: Engine, row: RowFacts, request: Exchange, now: number): AuthContext | null | Promise<AuthContext | null> {
  if (!isServedTo(row, request)) throw refusal('NOT_FOUND');
  if (row.tickets && request.query['ticket'] !== undefined) return null;
  switch (row.access) {
    case 'none':
      return null;
    case 'operator':
      return admitOperator(engine, row, request, now);
    case 'bearer':
    case 'login':
    case 'owner':
    case 'keys':
      return admitTenant(engine, row, request, now);
    default:
      return unreachable(row.access);
  }
}

async function admitOperator({ authenticator, trustedProxies }: Engine, row: RowFacts, request: Exchange, now: number): Promise<null> {
  const { app, headers } = request;
  const [secret, session] = [text(headers['x-admin-secret']), text(headers['x-admin-session'])];
  app.operator = await authenticator.operator(secret, session, addressOf(request, trustedProxies), now, row.withoutSession === true);
  return null;
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
const FORWARDED =
  /^(via|forwarded|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|x-original-.*|true-client-ip|cf-connecting-ip)$/;

/** Also checks `Host`, because a DNS-rebinding page sends its own host name. */
const isLocal = ({ headers, info }: Exchange): boolean =>
  LOOPBACK.test(info.remoteAddress) &&
  LOOPBACK_HOST.test(text(headers['host']) ?? '') &&
  !Object.keys(headers).some((name) => FORWARDED.test(name));

/** Rejects encoded spellings (`/%6d%65trics`), which get past a proxy that blocks the plain path. */
function isWrittenPlainly({ path }: RowFacts, { raw }: Exchange): boolean {
  const sent = before((raw.req.url ?? '').replace(/^https?:\/\/[^/]*/i, ''), '?').split('/');
  return path.split('/').every((part, nth) => part.startsWith('{') || part === sent[nth]);
}

export function isServedTo(row: RowFacts, request: Exchange): boolean {
  if ((row.access === 'none' || row.tickets) && !isWrittenPlainly(row, request)) return false;
  return !row.loopback || isLocal(request);
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Usually returns synchronously, because most credentials are cached and most limits are in memory.
 */
function admitTenant(engine: Engine, row: RowFacts, request: Exchange, now: number): AuthContext | Promise<AuthContext> {
  return whenThere(passOf(engine, request, now, row), (auth) =>
    whenThere(countCall(engine, limitsOf(row), auth, now), (status) => {
      request.app.verdict = status.shown;
      forbidUnlessAllowed(row, auth);
      return whenThere(forbidOtherDevices(engine, auth, request), () => {
        refuseOverLimit(status);
        return auth;
      });
    }),
  );
}

function passOf(
  { authenticator, trustedProxies }: Engine,
  request: Exchange,
  now: number,
  row?: Pick<RowFacts, 'keyHeader'>,
): AuthContext | Promise<AuthContext> {
  const { app, headers } = request;
  const token = row?.keyHeader === undefined ? tokenIn(headers.authorization) : keyIn(headers[row.keyHeader]);
  return whenThere(authenticator.bearer(token, addressOf(request, trustedProxies), now), (auth) => {
    app.tenantId = auth.caller.tenantId;
    app.caller = auth.caller;
    return auth;
  });
}

function refuseOverLimit({ shown, refuses }: RateStatus): void {
  if (refuses)
    throw refusal('RATE_LIMITED', {
      retryAfterMs: shown.resetMs,
      limit: shown.limit,
      reason: LIMITED[refuses](shown.limit),
      ...(refuses === 'requests' && { scope: 'api_key' }),
    });
}

export async function countUnknown(engine: Engine, request: Exchange, now: number): Promise<void> {
  if (!BEARER.test(text(request.headers.authorization) ?? '')) return;
  const auth = await passIfGood(engine, request, now);
  if (auth === null) return;
  const authorization = await countCall(engine, [], auth, now);
  request.app.verdict = authorization.shown;
  refuseOverLimit(authorization);
}

async function passIfGood(engine: Engine, request: Exchange, now: number): Promise<AuthContext | null> {
  try {
    return await passOf(engine, request, now);
  } catch {
    return null;
  }
}

const NO_TOKEN = {
  en: 'send the header `Authorization: Bearer …` with a login token or an API key',
  id: 'kirim header `Authorization: Bearer …` dengan token login atau kunci API',
};

const LIMITED: Readonly<Record<Limit | 'requests', (limit: number) => { readonly en: string; readonly id: string }>> = {
  requests: perMinute('requests of this API key', 'permintaan dari kunci API ini'),
  send: perMinute('sends', 'pengiriman'),
  validate: perMinute('number validations', 'validasi nomor'),
  scheduled: perMinute('scheduled messages', 'pesan terjadwal'),
  blast: perMinute('new campaigns', 'kampanye baru'),
  bulk: perMinute('bulk calls', 'panggilan massal'),
};

function perMinute(en: string, id: string) {
  return (limit: number) => ({ en: `at most ${limit} ${en} per minute`, id: `paling banyak ${limit} ${id} per menit` });
}

const BEARER = /^bearer +([^\s]+) *$/i;

/** Rejects login tokens, because a program would keep using one after it has expired. */
function keyIn(header: unknown): string {
  const key = text(header) ?? '';
  if (!API_KEY.test(key)) throw refusal('UNAUTHORIZED', { because: 'no API key' });
  return key;
}

function tokenIn(header: unknown): string {
  const token = BEARER.exec(text(header) ?? '')?.[1];
  if (!token) throw refusal('UNAUTHORIZED', { because: 'no bearer token', reason: NO_TOKEN });
  return token;
}

interface RateStatus {
  readonly shown: LimitResult;
  readonly refuses: Limit | 'requests' | null;
}

function countCall({ limits }: Engine, own: readonly Limit[], auth: AuthContext, now: number): RateStatus | Promise<RateStatus> {
  // Logins are exempt from the request limit only. All logins of a tenant share the other limits.
  const names = auth.perMinute === null ? own : (['requests', ...own] as const);
  if (names.length === 0) return authorization([], [], auth);
  const taken = limits.takeAll(
    names.map((name) => windowOf(name, auth)),
    now,
  );
  return 'then' in taken ? taken.then((verdicts) => authorization(names, verdicts, auth)) : authorization(names, taken, auth);
}

/**
 * `shown` is the limit to report: the exceeded limit or, if none was exceeded, the request limit.
 * Logins have no request limit, so the plan's cap is shown.
 */
function authorization(
  names: readonly (Limit | 'requests')[],
  verdicts: readonly LimitResult[],
  { perMinute, keyCap }: AuthContext,
): RateStatus {
  for (const [nth, shown] of verdicts.entries()) if (!shown.ok) return { shown, refuses: at(names, nth) };
  const untouched = { ok: true, limit: keyCap, remaining: keyCap, resetMs: MINUTE_MS };
  return { shown: perMinute === null ? untouched : at(verdicts, 0), refuses: null };
}

type Counting = Pick<AuthContext, 'perMinute' | 'keyCap' | 'sendPerMinute' | 'limitKey'>;

function windowOf(name: Limit | 'requests', { perMinute, keyCap, sendPerMinute, limitKey }: Counting): SlidingWindow {
  if (name === 'requests') return { key: `requests:${limitKey}`, max: Math.min(perMinute ?? keyCap, keyCap), windowMs: MINUTE_MS };
  return { key: `${name}:${limitKey}`, max: name === 'send' ? sendPerMinute : PER_MINUTE[name], windowMs: MINUTE_MS };
}

export const limitKeyOf = ({ key, tenantId }: Caller): string => key?.id ?? tenantId;

export async function countInner({ limits }: Pick<Engine, 'limits'>, row: RowFacts, caller: Caller, now: number): Promise<void> {
  const names = limitsOf(row);
  if (names.length === 0) return;
  const { key_cap: keyCap, send_per_minute: sendPerMinute } = caller.plan;
  const counting: Counting = { perMinute: null, keyCap, sendPerMinute, limitKey: limitKeyOf(caller) };
  const taken = await limits.takeAll(
    names.map((name) => windowOf(name, counting)),
    now,
  );
  for (const [nth, shown] of taken.entries()) if (!shown.ok) refuseOverLimit({ shown, refuses: at(names, nth) });
}

export async function countValidation({ limits }: Pick<Engine, 'limits'>, caller: Caller, now: number): Promise<void> {
  const [max, key] = [PER_MINUTE.validate, `validate:${limitKeyOf(caller)}`];
  await takeOrRefuse(limits, { key, max, windowMs: MINUTE_MS }, now, LIMITED.validate(max));
}

/** A POST that needs bearer access and has `/messages` in its path counts as a send. */
export function limitsOf({ limit, method, path, access }: RowFacts): readonly Limit[] {
  const isSend = method === 'POST' && access === 'bearer' && path.includes('/messages');
  if (limit === undefined) return isSend ? SEND : NONE;
  return isSend ? ['send', limit] : [limit];
}

const SEND = ['send'] as const;
const NONE = [] as const;

type Rights = Pick<AuthContext, 'auth' | 'scopes' | 'caller' | 'isEnding'>;

export function forbidInner(row: RowFacts, caller: Caller): void {
  const isKey = caller.auth === 'api_key';
  forbidUnlessAllowed(row, { auth: isKey ? 'api_key' : 'login', scopes: caller.key?.scopes ?? [], caller });
}

function forbidUnlessAllowed(row: RowFacts, { auth, scopes, caller, isEnding }: Rights): void {
  if (isEnding && !row.whileEnding) throw accountEnding();
  const isKey = auth === 'api_key';
  const isOwner = !isKey && caller.role === 'admin';
  if (row.access === 'keys' && !isOwner) throw refusal('KEY_MANAGEMENT_REQUIRES_LOGIN');
  if (row.access === 'owner' && !isOwner) throw refusal('FORBIDDEN');
  if (row.access === 'login' && isKey) throw refusal('FORBIDDEN');
  if (!row.agents && caller.role === 'agent') throw refusal('FORBIDDEN');
  if (!row.deviceKeys && caller.key?.sessionIds) throw refusal('FORBIDDEN', { reason: FOR_SOME_DEVICES });
  if (isKey && !scopesOf(row).every((scope) => scopes.includes(scope))) throw refusal('FORBIDDEN');
}

const FRESH_MS = 10 * 60_000;

export function expectFreshFactor({ stepUp }: RowFacts, caller: Caller | undefined, now: number): void {
  if (stepUp === true) expectFresh(caller, now);
}

export function stepUpOf({ id, stepUp }: RowFacts, caller: Caller | undefined, now: number): () => void {
  return () => {
    if (!asksForCode(stepUp)) throw new Error(`row ${id} does not say when it needs a fresh code`);
    expectFresh(caller, now);
  };
}

/** API keys and logins without two-factor pass, because they have no second factor to check. */
function expectFresh(caller: Caller | undefined, now: number): void {
  const factor = caller?.secondFactor;
  if (factor && (factor.at === null || now - factor.at > FRESH_MS)) throw refusal('STEP_UP_REQUIRED');
}

export const accountEnding = () => refusal('FORBIDDEN', { reason: ENDING });

const ENDING = {
  en: 'the account is being deleted: cancel the deletion first (POST /v1/account/restore)',
  id: 'akun sedang dihapus: batalkan dahulu (POST /v1/account/restore)',
};
const FOR_SOME_DEVICES = { en: 'this key is restricted to certain devices', id: 'kunci ini dibatasi untuk perangkat tertentu' };

export const scopesOf = ({ scope, method }: RowFacts): readonly Scope[] => [scope ?? (method === 'GET' ? 'read' : 'manage')].flat();

/** Fails with FORBIDDEN for the tenant's other devices. An unknown device is rejected later. */
function forbidOtherDevices({ devices }: Engine, { caller }: AuthContext, { params }: Exchange): void | Promise<void> {
  const sessionId: unknown = params['sessionId'];
  const allowed = caller.key?.sessionIds;
  if (!allowed || typeof sessionId !== 'string' || allowed.includes(sessionId)) return;
  return devices.find(caller.tenantId, sessionId).then((found) => {
    if (found) throw refusal('FORBIDDEN');
  });
}
