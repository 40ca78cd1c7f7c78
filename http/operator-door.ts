import { hash, timingSafeEqual } from 'node:crypto';
import { refusal } from '../actors/refusals.ts';
import { Recent } from '../runtime/recent.ts';

const FREE_TRIES = 5;
const LONGEST_WAIT_MS = 900_000;
const REMEMBERED_ADDRESSES = 10_000;

interface Failures {
  readonly count: number;
  /** Epoch ms until which nothing from there is looked at. */
  readonly until: number;
}

export interface OperatorDoor {
  /** Throws Refusal UNAUTHORIZED, or RATE_LIMITED while an address that guessed wrong too often has to wait: 1 s after its fifth, doubling up to 15 min. */
  enter(secret: string | undefined, address: string, now: number): void;
}

/** Checks `X-Admin-Secret` (spec.md part 5). Both sides are hashed, so that neither length nor content shows in the time it takes. */
export function createOperatorDoor(adminSecret: string): OperatorDoor {
  const right = digest(adminSecret);
  const failures = new Recent<string, Failures>(REMEMBERED_ADDRESSES);

  function fail(address: string, now: number): void {
    const count = (failures.get(address)?.count ?? 0) + 1;
    const waitMs = count < FREE_TRIES ? 0 : Math.min(1000 * 2 ** (count - FREE_TRIES), LONGEST_WAIT_MS);
    failures.set(address, { count, until: now + waitMs });
  }

  return {
    enter(secret, address, now) {
      const until = failures.get(address)?.until ?? 0;
      if (now < until) throw refusal('RATE_LIMITED', { retryAfterMs: until - now });
      if (secret === undefined) throw refusal('UNAUTHORIZED');
      if (timingSafeEqual(digest(secret), right)) return failures.delete(address);
      fail(address, now);
      throw refusal('UNAUTHORIZED');
    },
  };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
