import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto';
import { CLAIM_MS, renewClaim } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { OneTimeCodes } from '../../../store/accounts/one-time-codes.ts';
import { refusal } from '../../domain/refusals.ts';

export const CODE_TTL_SECONDS = 300;

const GUESSES_PER_CODE = 5;
const WRONG_GUESSES_PER_DAY = 20;
const DAY_MS = 86_400_000;
/** Maximum number of codes for one phone in one window, across all endpoints. */
export const CODES_PER_WINDOW = 5;
export const CODES_WINDOW_MS = 15 * 60_000;
/** One more than callers may request, because a sign-up's first code does not count as a request. */
const MAX_SENT = CODES_PER_WINDOW + 1;

export interface IssuedCode {
  readonly code: string;
  sent(): Promise<void>;
}

export interface OneTimeCodeService {
  /** Returns null while another code is being sent, because two codes could arrive in the wrong order. */
  issue(phone: string, purpose: string, now: number): Promise<IssuedCode | null>;
  redeem(phone: string, code: string, purposes: readonly string[], now: number): Promise<string | null>;
}

/** Stored hashes are keyed with `secret`, because brute force finds six digits from unkeyed hashes. */
export function createOneTimeCodeService(codes: OneTimeCodes, secret: string, clock: Pick<Clock, 'now' | 'after'>): OneTimeCodeService {
  const pepper = Buffer.from(hkdfSync('sha256', secret, '', 'one-time codes', 32));
  const hashOf = (phone: string, code: string, purpose: string): string =>
    createHmac('sha256', pepper).update(`${phone}:${code}:${purpose}`).digest('hex');

  return {
    async issue(phone, purpose, now) {
      if (!(await codes.takeSending(phone, MAX_SENT, CODES_WINDOW_MS, now)))
        throw refusal('RATE_LIMITED', { retryAfterMs: CODES_WINDOW_MS - (now % CODES_WINDOW_MS), limit: CODES_PER_WINDOW });
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      const hash = hashOf(phone, code, purpose);
      const row = { hash, expires_at: now + CODE_TTL_SECONDS * 1000, sending_until: now + CLAIM_MS };
      if (!(await codes.issue(phone, row, now))) return null;
      const stop = renewClaim(clock, (until) => codes.renew(phone, hash, until));
      const sent = async (): Promise<void> => {
        await stop();
        await codes.sent(phone, hash);
      };
      return { code, sent };
    },

    // Counts each guess before checking it, so that concurrent guesses gain nothing.
    async redeem(phone, code, purposes, now) {
      const hash = await codes.takeGuess(phone, GUESSES_PER_CODE, now);
      if (hash === null) return null;
      if (!(await codes.takeFailure(phone, WRONG_GUESSES_PER_DAY, now)))
        throw refusal('RATE_LIMITED', { retryAfterMs: DAY_MS - (now % DAY_MS), limit: WRONG_GUESSES_PER_DAY });
      const purpose = purposes.find((one) => isSame(hash, hashOf(phone, code, one)));
      if (purpose === undefined || !(await codes.consume(phone, hash))) return null;
      await codes.giveBackFailure(phone, now);
      return purpose;
    },
  };
}

const isSame = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
