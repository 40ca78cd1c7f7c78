import type { Request } from '@hapi/hapi';
import { refusal } from '../actors/refusals.ts';
import { unreachable } from '../runtime/behaviour.ts';
import type { SlidingWindow } from '../runtime/cluster/port.ts';
import { addressOf } from './caller-address.ts';
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
  const { headers } = request;
  if (row.loopback && !isLocal(request)) throw refusal('NOT_FOUND');
  switch (row.access) {
    case 'none':
      return null;
    case 'operator':
      await engine.gate.operator(
        text(headers['x-admin-secret']),
        text(headers['x-admin-session']),
        addressOf(request, engine.trustedProxies),
        now,
      );
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
  const pass = await engine.gate.bearer(tokenIn(request.headers.authorization), addressOf(request, engine.trustedProxies), now);
  request.app.tenantId = pass.caller.tenantId;
  const counted = countCall(engine, row, pass, now);
  const { shown, refuses } = 'then' in counted ? await counted : counted;
  request.app.verdict = shown;
  forbidUnlessAllowed(row, pass);
  await forbidOtherDevices(engine, pass, request);
  if (refuses) throw refusal('RATE_LIMITED', { retryAfterMs: shown.resetMs, ...(refuses === 'requests' && { scope: 'api_key' }) });
  return pass;
}

const BEARER = /^bearer +([^\s]+) *$/i;

function tokenIn(header: unknown): string {
  const token = BEARER.exec(text(header) ?? '')?.[1];
  if (!token) throw refusal('UNAUTHORIZED');
  return token;
}

/** What the limits say of one call: the verdict for the headers, and which limit refuses it. */
interface Standing {
  readonly shown: Verdict;
  readonly refuses: Limit | 'requests' | null;
}

function countCall({ limits }: Engine, row: RowFacts, pass: Pass, now: number): Standing | Promise<Standing> {
  // Logins are free of the limits of keys (spec.md part 8, api.md "Conventions").
  if (pass.perMinute === null) return standing([], [], pass);
  const names = ['requests', ...limitsOf(row)] as const;
  const taken = limits.takeAll(
    names.map((name) => windowOf(name, pass)),
    now,
  );
  return 'then' in taken ? taken.then((verdicts) => standing(names, verdicts, pass)) : standing(names, taken, pass);
}

/** Where none refuses, the key's own is shown, and to a login, which has none, its plan's. */
function standing(names: readonly (Limit | 'requests')[], verdicts: readonly Verdict[], { perMinute, keyCap }: Pass): Standing {
  const refusing = verdicts.findIndex(({ ok }) => !ok);
  if (refusing !== -1) return { shown: verdicts[refusing]!, refuses: names[refusing]! };
  const untouched = { ok: true, limit: keyCap, remaining: keyCap, resetMs: MINUTE_MS };
  return { shown: perMinute === null ? untouched : verdicts[0]!, refuses: null };
}

function windowOf(name: Limit | 'requests', pass: Pass): SlidingWindow {
  const { perMinute, keyCap, sendPerMinute, limitKey } = pass;
  if (name === 'requests') return { key: `requests:${limitKey}`, max: Math.min(perMinute ?? keyCap, keyCap), windowMs: MINUTE_MS };
  return { key: `${name}:${limitKey}`, max: name === 'send' ? sendPerMinute : PER_MINUTE[name], windowMs: MINUTE_MS };
}

/** spec.md part 8: sending is every POST whose path contains `messages`, whatever else it is. */
export function limitsOf({ limit, method, path, access }: RowFacts): readonly Limit[] {
  const isSend = limit === 'send' || (method === 'POST' && access === 'bearer' && path.includes('/messages'));
  return [...(isSend ? (['send'] as const) : []), ...(limit !== undefined && limit !== 'send' ? [limit] : [])];
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
