import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Quota } from './quota.ts';

const TRUSTED_MS = 5_000;
const TENANTS = 10_000;
/** Of a quota, and in messages: near its end every take is asked of the store first. */
const RESERVE = { share: 0.1, least: 100 };

interface Entry {
  readonly month: string;
  readonly limit: number;
  readonly at: number;
  /** How many more are certain to be granted. Falls with everything that this process takes, granted or not. */
  left: number;
}

/** A message that is taken from the quota while it is stored. */
export interface Ahead {
  /** True, unless the count was changed behind this process's back. Rejects where the store does. */
  readonly taking: Promise<boolean>;
  /** The store was asked for it: what it is asked from now on is done later. */
  readonly issued: Promise<void>;
}

/**
 * The monthly quota of a process that is alone with its store. It counts whatever it lets pass, so that what it
 * takes ahead is granted. With a second process over the same store it would promise what the other one takes: there the plain quota is used.
 */
export class QuotaCache implements Quota {
  readonly #quota: Quota;
  readonly #entries = new RecentCache<string, Entry>(TENANTS);
  /** The messages that a tenant took in this process, and how many of them the store has confirmed: the others may be missing in its count. */
  readonly #takes = new RecentCache<string, { begun: number; answered: number }>(TENANTS);

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  used(tenantId: string, month: string): Promise<number> {
    return this.#quota.used(tenantId, month);
  }

  giveBack(tenantId: string, month: string, count: number): Promise<void> {
    return this.#quota.giveBack(tenantId, month, count);
  }

  async take(...take: Parameters<Quota['take']>): Promise<boolean> {
    const [tenantId, month, count] = take;
    const takes = this.#takesOf(tenantId);
    takes.begun += count;
    const entry = this.#entries.get(tenantId);
    if (entry?.month === month) entry.left -= count;
    try {
      return await this.#quota.take(...take);
    } finally {
      takes.answered += count;
    }
  }

  /**
   * Takes one message where it is certain to be granted, so that nobody has to wait for the answer; null: ask first. `limit` null: a quota without
   * end. `now` is epoch ms.
   */
  takeAhead(tenantId: string, month: string, limit: number | null, now: number): Ahead | null | Promise<Ahead | null> {
    if (limit === null) return this.#ahead(tenantId, month, null);
    const known = this.#entries.get(tenantId);
    const age = known?.month === month && known.limit === limit ? now - known.at : -1;
    if (!known || age < 0 || age >= TRUSTED_MS) return this.#read(tenantId, month, limit, now);
    return this.#passed(tenantId, known);
  }

  async #read(tenantId: string, month: string, limit: number, now: number): Promise<Ahead | null> {
    const takes = this.#takesOf(tenantId);
    const { answered } = takes;
    const used = await this.#quota.used(tenantId, month);
    const reserve = Math.max(RESERVE.least, limit * RESERVE.share);
    const entry = { month, limit, at: now, left: limit - used - (takes.begun - answered) - reserve };
    this.#entries.set(tenantId, entry);
    return this.#passed(tenantId, entry);
  }

  #passed(tenantId: string, { month, limit, left }: Entry): Ahead | null {
    return left < 1 ? null : this.#ahead(tenantId, month, limit);
  }

  #ahead(tenantId: string, month: string, limit: number | null): Ahead {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { taking: this.take(tenantId, month, 1, limit, resolve), issued: promise };
  }

  #takesOf(tenantId: string): { begun: number; answered: number } {
    const known = this.#takes.get(tenantId) ?? { begun: 0, answered: 0 };
    this.#takes.set(tenantId, known);
    return known;
  }
}
