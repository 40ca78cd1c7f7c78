import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../core/row.ts';

/** `token`: sent by the model in a second call. `form`: sent by a client that showed a form. */
export type Way = 'token' | 'form';

export interface Confirmations {
  issue(way: Way, caller: Caller, act: unknown, now: number): string;
  isValid(way: Way, token: string, caller: Caller, act: unknown, now: number): boolean;
}

const VALID_MS = 5 * 60_000;
const FORM = /^([0-9a-z]{1,12})\.([\w-]{43})$/;

/** Nothing is stored. `act` includes the idempotency key, so a token cannot be used to send twice. */
export function createConfirmations(secret: string): Confirmations {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mcp confirmations', 32));

  const macOf = (way: Way, caller: Caller, act: unknown, until: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([way, caller.tenantId, whoIs(caller), until, hash('sha256', JSON.stringify(act))]))
      .digest();

  return {
    issue(way, caller, act, now) {
      const until = (now + VALID_MS).toString(36);
      return `${until}.${macOf(way, caller, act, until).toString('base64url')}`;
    },
    isValid(way, token, caller, act, now) {
      const [, until, mac] = FORM.exec(token) ?? [];
      if (until === undefined || mac === undefined || Number.parseInt(until, 36) < now) return false;
      return timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(way, caller, act, until));
    },
  };
}

const whoIs = ({ key, family, agentId }: Caller): string => (key ? `key ${key.id} ${key.hash}` : `login ${family} ${agentId}`);
