/**
 * Checks operators' secrets and slows down guessing per network. Failed attempts are kept in the
 * memory of this node only.
 */

import { hash, timingSafeEqual } from 'node:crypto';
import { refusal } from '../../actors/domain/refusals.ts';
import { RecentCache } from '../../runtime/recent-cache.ts';
import { networkOf } from '../core/caller-address.ts';

const HEADER = {
  en: 'send the header `X-Admin-Secret` with the secret of the operator',
  id: 'kirim header `X-Admin-Secret` dengan rahasia operator',
};

const DEFAULT_OPERATOR = 'operator';

const FREE_TRIES = 5;
const LONGEST_WAIT_MS = 900_000;
const REMEMBERED_NETWORKS = 10_000;

interface Failures {
  readonly count: number;
  readonly until: number;
}

export interface NamedOperator {
  readonly name: string;
  readonly secret: string;
}

export interface AdminAuth {
  /** Fails with RATE_LIMITED for 1 s to 15 minutes after five wrong guesses from one network. */
  enter(secret: string | undefined, address: string, now: number): string;
}

/** Compares hashes, so that the time taken reveals neither the length nor the content of a secret. */
export function createAdminAuth(adminSecret: string, operators: readonly NamedOperator[] = []): AdminAuth {
  const known = [{ name: DEFAULT_OPERATOR, secret: adminSecret }, ...operators].map(({ name, secret }) => ({
    name,
    right: digest(secret),
  }));
  const failures = new RecentCache<string, Failures>(REMEMBERED_NETWORKS);

  function fail(network: string, now: number): void {
    const count = (failures.get(network)?.count ?? 0) + 1;
    const waitMs = count < FREE_TRIES ? 0 : Math.min(1000 * 2 ** (count - FREE_TRIES), LONGEST_WAIT_MS);
    failures.set(network, { count, until: now + waitMs });
  }

  return {
    enter(secret, address, now) {
      // Compares the secret first, so that guesses from behind a shared proxy do not lock out operators.
      const given = digest(secret ?? '');
      const found = known.filter(({ right }) => timingSafeEqual(given, right));
      if (secret && found[0]) return found[0].name;
      const network = networkOf(address);
      const until = failures.get(network)?.until ?? 0;
      if (now < until) throw refusal('RATE_LIMITED', { retryAfterMs: until - now, limit: FREE_TRIES });
      if (!secret) throw refusal('UNAUTHORIZED', { because: 'no operator secret', reason: HEADER });
      fail(network, now);
      throw refusal('UNAUTHORIZED', { because: 'wrong operator secret', reason: HEADER });
    },
  };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
