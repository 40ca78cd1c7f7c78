/**
 * Operator sessions, required in addition to the secret while the installation's second factor is
 * on. A session is bound to the operator's name and address range. The store keeps only a hash of
 * its token.
 */

import { hash, randomBytes } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { refusal } from '../../actors/domain/refusals.ts';
import type { OperatorSessions } from '../../store/accounts/operator-sessions.ts';
import type { SecondFactors } from '../../store/accounts/second-factors.ts';
import { networkOf } from '../core/caller-address.ts';

export const OPERATOR_FACTOR = 'operator';

const IDLE_MS = 30 * 60_000;
const LONGEST_MS = 8 * 3_600_000;

const HEADER = {
  en: 'send the header `X-Admin-Session` from `POST /v1/admin/2fa/verify`',
  id: 'kirim header `X-Admin-Session` dari `POST /v1/admin/2fa/verify`',
};

export interface OperatorSessionDeps {
  readonly operatorSessions: OperatorSessions;
  readonly secondFactors: Pick<SecondFactors, 'find'>;
}

export async function openOperatorSession(
  { operatorSessions }: Pick<OperatorSessionDeps, 'operatorSessions'>,
  name: string,
  address: string,
  now: number,
): Promise<{ session: string; expires_at: number }> {
  const session = randomBytes(32).toString('base64url');
  const expires_at = now + LONGEST_MS;
  await operatorSessions.open({ _id: idOf(session), name, range: rangeOf(address), seen_at: now, expires_at });
  return { session, expires_at };
}

export async function expectOperatorSession(
  { operatorSessions, secondFactors }: OperatorSessionDeps,
  { name, session, address }: { readonly name: string; readonly session: string | undefined; readonly address: string },
  now: number,
): Promise<void> {
  if (!(await secondFactors.find(OPERATOR_FACTOR))?.secret) return;
  const asked = session === undefined ? null : { _id: idOf(session), name, range: rangeOf(address) };
  if (asked && (await operatorSessions.use(asked, IDLE_MS, now))) return;
  throw refusal('UNAUTHORIZED', { because: 'no active operator session', reason: HEADER });
}

const idOf = (session: string): string => hash('sha256', session, 'hex');

/** Returns the /24 or /64 network, because an operator's address may change within it. */
function rangeOf(address: string): string {
  const network = networkOf(address);
  return isIPv4(network) ? network.split('.').slice(0, 3).join('.') : network;
}
