import { REFUSALS, type RefusalCode } from '../../actors/domain/refusals.ts';
import { limitsOf, scopesOf } from '../auth/admit.ts';
import type { RowFacts } from '../core/engine.ts';
import { type Access, asksForCode } from '../core/row.ts';

const CALLERS: Readonly<Record<Access, string>> = {
  none: 'Open to anyone.',
  bearer: 'Requires a login or an API key.',
  login: 'Requires a dashboard login; API keys are refused.',
  owner: "Requires the account owner's login.",
  keys: "Requires the account owner's login; other callers get `KEY_MANAGEMENT_REQUIRES_LOGIN`.",
  operator: 'Only for the platform operator.',
};

export function accessText(row: RowFacts): string {
  const barred = [!row.agents && 'agents', !row.deviceKeys && 'API keys that are restricted to devices'].filter((one) => one !== false);
  const others = row.access === 'bearer' && barred.length > 0 ? ` Not available to ${barred.join(' or to ')}.` : '';
  const limit = limitsOf(row)
    .map((name) => ` Counts towards the \`${name}\` limit.`)
    .join('');
  const place = row.loopback ? ' Only from this machine.' : '';
  const tickets = row.tickets ? ' A stream ticket also works.' : '';
  const stepUp = stepUpText(row);
  return callerText(row) + others + limit + place + tickets + stepUp;
}

function callerText(row: RowFacts): string {
  if (row.access !== 'bearer' || scopesOf(row).length === 0) return CALLERS[row.access];
  return `Requires a login, or an API key with the ${scopeText(row)}.`;
}

function stepUpText({ stepUp }: RowFacts): string {
  if (!asksForCode(stepUp)) return '';
  return ` With two-factor sign-in, a code must have been confirmed in the last ten minutes${stepUp === true ? '' : ` if ${stepUp.if}`}.`;
}

function scopeText(row: RowFacts): string {
  const [first, ...more] = scopesOf(row).map((scope) => `\`${scope}\``);
  return more.length === 0 ? `scope ${first}` : `scopes ${[first, ...more].join(' and ')}`;
}

export function codesOf(row: RowFacts): readonly RefusalCode[] {
  const codes = new Set<RefusalCode>(['VALIDATION_FAILED']);
  const add = (condition: boolean, ...more: RefusalCode[]): void => {
    if (condition) for (const code of more) codes.add(code);
  };
  add(row.method !== 'GET', 'REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  add(row.method !== 'GET' && !row.bytes, 'INVALID_JSON');
  add(row.access !== 'none', 'UNAUTHORIZED', 'FORBIDDEN');
  add(row.access === 'keys', 'KEY_MANAGEMENT_REQUIRES_LOGIN');
  add(asksForCode(row.stepUp), 'STEP_UP_REQUIRED');
  // Operators can get this error too, because an address that guesses their secret has to wait.
  add(row.access !== 'none', 'RATE_LIMITED');
  add(row.path.includes('{'), 'NOT_FOUND');
  add(row.headers?.includes('idempotency-key') === true, 'CONFLICT', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED');
  add(true, ...(row.refuses ?? []), 'INTERNAL', 'OVERLOADED', 'UNAVAILABLE');
  return [...codes].sort((a, b) => REFUSALS[a].status - REFUSALS[b].status);
}
