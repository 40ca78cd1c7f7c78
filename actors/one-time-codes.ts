import { createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto';
import type { OneTimeCodes } from '../store/one-time-codes.ts';
import { refusal } from './refusals.ts';

/** How long a code lives, in seconds: the `ttl` of `/auth/request-otp`. */
export const CODE_TTL_SECONDS = 300;

const GUESSES_A_CODE = 5;
const WRONG_GUESSES_A_DAY = 20;
const DAY_MS = 86_400_000;

/** One-time codes of 6 digits that prove who holds a phone (api.md "Sign-in"). Phones are digits, `now` is epoch ms. */
export interface CodeBook {
  /** Makes the phone's next code; the one before it is void. */
  issue(phone: string, now: number): Promise<string>;
  /** Uses the code up; false: wrong, expired, used or guessed at too often. Refuses RATE_LIMITED when the phone's wrong guesses of the day are spent. */
  redeem(phone: string, code: string, now: number): Promise<boolean>;
}

/** `secret` keys the stored hashes: six digits alone would be found by trying them all. */
export function createCodeBook(codes: OneTimeCodes, secret: string): CodeBook {
  const pepper = Buffer.from(hkdfSync('sha256', secret, '', 'one-time codes', 32));
  const hashOf = (phone: string, code: string): string => createHmac('sha256', pepper).update(`${phone}:${code}`).digest('hex');

  return {
    async issue(phone, now) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      await codes.issue(phone, hashOf(phone, code), now + CODE_TTL_SECONDS * 1000);
      return code;
    },

    // Each guess is paid for before it is looked at, so that guesses sent at once buy nothing.
    async redeem(phone, code, now) {
      const hash = await codes.takeGuess(phone, GUESSES_A_CODE, now);
      if (hash === null) return false;
      if (!(await codes.takeFailure(phone, WRONG_GUESSES_A_DAY, now)))
        throw refusal('RATE_LIMITED', { retryAfterMs: DAY_MS - (now % DAY_MS) });
      if (!isSame(hash, hashOf(phone, code)) || !(await codes.consume(phone, hash))) return false;
      await codes.giveBackFailure(phone, now);
      return true;
    },
  };
}

const isSame = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
