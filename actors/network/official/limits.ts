import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { PlatformLimit } from '../../../store/messaging/message-row.ts';
import { pairPauseMs } from './error-codes.ts';
import type { OfficialLogin } from './login.ts';

/**
 * Enforces the platform's limits for one number: messages to one person, new people within 24
 * hours, and pauses after spam reports. A message over a limit waits. The store counts new people;
 * everything else is counted in memory.
 */

/** Limit per person: one message every six seconds on average, with bursts of up to 45. */
const PAIR_MS = 6_000;
const PAIR_AHEAD_MS = 44 * PAIR_MS;
/** If this much time lies between two refusals, the second one does not lengthen the pause. */
const APART_MS = 300_000;
const SPAM_MS = 3_600_000;
const TIER_AGAIN_MS = 300_000;
const PEOPLE_REMEMBERED = 10_000;

export interface MetLimit {
  readonly limit: PlatformLimit;
  readonly waitMs: number;
}

export class SendLimits {
  readonly #login: Pick<OfficialLogin, 'clock' | 'reach'>;
  readonly #paidUntil = new RecentCache<string, number>(PEOPLE_REMEMBERED);
  readonly #refusals = new RecentCache<string, { readonly times: number; readonly at: number }>(PEOPLE_REMEMBERED);
  #spamUntil = 0;

  constructor(login: Pick<OfficialLogin, 'clock' | 'reach'>) {
    this.#login = login;
  }

  /** Returns the limit that delays the message. If null, the message is counted as sent. */
  async meets(chat: string, isInWindow: boolean): Promise<MetLimit | null> {
    const now = this.#login.clock.now();
    if (!isInWindow && this.#spamUntil > now) return { limit: 'spam_limit', waitMs: this.#spamUntil - now };
    const paidUntil = Math.max(this.#paidUntil.get(chat) ?? now, now);
    const early = paidUntil - now - PAIR_AHEAD_MS;
    if (early > 0) return { limit: 'pair_limit', waitMs: early };
    const waitMs = isInWindow ? 0 : await this.#login.reach(chat);
    if (waitMs > 0) return { limit: 'tier', waitMs: Math.min(waitMs, TIER_AGAIN_MS) };
    this.#paidUntil.set(chat, paidUntil + PAIR_MS);
    return null;
  }

  refused(chat: string, limit: PlatformLimit): number {
    const now = this.#login.clock.now();
    if (limit !== 'pair_limit') {
      this.#spamUntil = now + SPAM_MS;
      return SPAM_MS;
    }
    const last = this.#refusals.get(chat);
    const times = last && now - last.at < APART_MS ? last.times + 1 : 1;
    this.#refusals.set(chat, { times, at: now });
    return pairPauseMs(times);
  }
}
