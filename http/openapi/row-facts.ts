import { REFUSALS, type RefusalCode } from '../../actors/domain/refusals.ts';
import { limitsOf, scopesOf } from '../auth/admit.ts';
import type { RowFacts } from '../core/engine.ts';
import { type Access, asksForCode } from '../core/row.ts';

const CALLERS: Readonly<Record<Access, string>> = {
  none: 'Open to anyone.',
  bearer: 'Needs a login or an API key.',
  login: 'Needs a dashboard login; API keys are refused.',
  owner: 'Needs the login of the account owner.',
  keys: 'Needs the login of the account owner; others are refused with `KEY_MANAGEMENT_REQUIRES_LOGIN`.',
  operator: 'Only for the platform operator.',
};

export function accessText(row: RowFacts): string {
  const scope = row.access === 'bearer' ? ` An API key needs the ${scopeText(row)}.` : '';
  const agents = row.agents || row.access !== 'bearer' ? '' : ' Not for agent logins.';
  const deviceKeys = row.deviceKeys || row.access !== 'bearer' ? '' : ' Not for keys that are restricted to devices.';
  const limit = limitsOf(row)
    .map((name) => ` Counts under the \`${name}\` limit.`)
    .join('');
  const place = row.loopback ? ' Only from this machine.' : '';
  const tickets = row.tickets ? ' A stream ticket works as well.' : '';
  const stepUp = stepUpText(row);
  return CALLERS[row.access] + scope + agents + deviceKeys + limit + place + tickets + stepUp;
}

function stepUpText({ stepUp }: RowFacts): string {
  if (!asksForCode(stepUp)) return '';
  return ` A login with two-factor needs a code from the last ten minutes${stepUp === true ? '' : `, if ${stepUp.if}`}.`;
}

function scopeText(row: RowFacts): string {
  const [first, ...more] = scopesOf(row).map((scope) => `\`${scope}\``);
  return more.length === 0 ? `scope ${first}` : `scopes ${[first, ...more].join(' and ')}`;
}

/** Every error code that a row can return: codes implied by its access and features, then its own `refuses`. */
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
  // Applies to operator rows too, because an address that guesses secrets has to wait.
  add(row.access !== 'none', 'RATE_LIMITED');
  add(row.path.includes('{'), 'NOT_FOUND');
  add(row.headers?.includes('idempotency-key') === true, 'CONFLICT', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED');
  add(true, ...(row.refuses ?? []), 'INTERNAL', 'OVERLOADED', 'UNAVAILABLE');
  return [...codes].sort((a, b) => REFUSALS[a].status - REFUSALS[b].status);
}
