import type { Request } from '@hapi/hapi';
import { refusal } from '../actors/refusals.ts';
import { unreachable } from '../runtime/behaviour.ts';
import type { Engine, RowFacts } from './engine.ts';
import type { Pass } from './gate.ts';
import type { Verdict } from './limits.ts';
import type { Limit } from './row.ts';

const MINUTE_MS = 60_000;

/** Calls a minute and key (spec.md part 8); `send` is the plan's. */
const PER_MINUTE: Readonly<Record<Exclude<Limit, 'send'>, number>> = { validate: 10, scheduled: 20, blast: 5, bulk: 3 };

/**
 * Lets a request in or refuses it: 401, then 403, then 429 (spec.md parts 5 and 8). Null: the row is not a tenant's.
 * A call that is forbidden counts towards its limit, too; only the 429s themselves do not.
 */
export async function admit(engine: Engine, row: RowFacts, request: Request, now: number): Promise<Pass | null> {
  const { headers, info } = request;
  if (row.loopback && !isLocal(request)) throw refusal('NOT_FOUND');
  switch (row.access) {
    case 'none':
      return null;
    case 'operator':
      await engine.gate.operator(text(headers['x-admin-secret']), text(headers['x-admin-session']), info.remoteAddress, now);
      return null;
    case 'bearer':
    case 'login':
    case 'owner':
    case 'keys':
      return admitTenant(engine, row, request, now);
    default:
      return unreachable(row.access);
  }
}

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** A proxy on this machine speaks for somebody else. */
const isLocal = ({ headers, info }: Request): boolean =>
  LOOPBACK.test(info.remoteAddress) && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

async function admitTenant(engine: Engine, row: RowFacts, request: Request, now: number): Promise<Pass> {
  const pass = await engine.gate.bearer(tokenIn(request.headers.authorization), request.info.remoteAddress, now);
  request.app.tenantId = pass.caller.tenantId;
  const verdict = await countRequest(engine, pass, now);
  request.app.verdict = verdict;
  forbidUnlessAllowed(row, pass);
  await forbidOtherDevices(engine, pass, request);
  if (!verdict.ok) throw refusal('RATE_LIMITED', { retryAfterMs: verdict.resetMs, scope: 'api_key' });
  if (row.limit) await countAgainst(row.limit, engine, pass, request, now);
  return pass;
}

const BEARER = /^bearer +([^\s]+) *$/i;

function tokenIn(header: unknown): string {
  const token = BEARER.exec(text(header) ?? '')?.[1];
  if (!token) throw refusal('UNAUTHORIZED');
  return token;
}

function countRequest({ limits }: Engine, { perMinute, keyCap, limitKey }: Pass, now: number): Verdict | Promise<Verdict> {
  if (perMinute === null) return { ok: true, limit: keyCap, remaining: keyCap, resetMs: MINUTE_MS };
  return limits.take(`requests:${limitKey}`, Math.min(perMinute, keyCap), MINUTE_MS, now);
}

/** Throws Refusal FORBIDDEN or KEY_MANAGEMENT_REQUIRES_LOGIN when this login or key may not use the row (http/row.ts `Access`). */
function forbidUnlessAllowed(row: RowFacts, { auth, scopes, caller }: Pass): void {
  const isKey = auth === 'api_key';
  const isOwner = !isKey && caller.role === 'admin';
  if (row.access === 'keys' && !isOwner) throw refusal('KEY_MANAGEMENT_REQUIRES_LOGIN');
  if (row.access === 'owner' && !isOwner) throw refusal('FORBIDDEN');
  if (row.access === 'login' && isKey) throw refusal('FORBIDDEN');
  if (row.agents === false && caller.role === 'agent') throw refusal('FORBIDDEN');
  if (isKey && !scopes.includes(scopeOf(row))) throw refusal('FORBIDDEN');
}

/** What an API key must be allowed to for this row. */
export const scopeOf = ({ scope, method }: RowFacts): 'read' | 'send' | 'manage' => scope ?? (method === 'GET' ? 'read' : 'manage');

/** A device of another tenant stays unknown, also to a key that is restricted to some devices. */
async function forbidOtherDevices({ devices }: Engine, { caller }: Pass, { params }: Request): Promise<void> {
  const sessionId: unknown = params['sessionId'];
  const allowed = caller.key?.sessionIds;
  if (!allowed || typeof sessionId !== 'string' || allowed.includes(sessionId)) return;
  if (await devices.find(caller.tenantId, sessionId)) throw refusal('FORBIDDEN');
}

async function countAgainst(limit: Limit, { limits }: Engine, pass: Pass, request: Request, now: number): Promise<void> {
  const max = limit === 'send' ? pass.sendPerMinute : PER_MINUTE[limit];
  const whose = pass.auth === 'login' ? pass.caller.tenantId : pass.limitKey;
  const verdict = await limits.take(`${limit}:${whose}`, max, MINUTE_MS, now);
  if (verdict.ok) return;
  if (pass.perMinute !== null) await limits.giveBack(`requests:${pass.limitKey}`);
  request.app.verdict = verdict;
  throw refusal('RATE_LIMITED', { retryAfterMs: verdict.resetMs });
}
