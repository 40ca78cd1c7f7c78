import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Quota } from './quota.ts';

const TRUSTED_MS = 5_000;
const TENANTS = 10_000;
/** If this little of the quota is left, each message is counted in the store before it is accepted. */
const RESERVE = { share: 0.1, least: 100 };

interface Entry {
  readonly month: string;
  readonly limit: number;
  readonly at: number;
  left: number;
}

export interface Ahead {
  /** Resolves to false only if another process has changed the count in the meantime. */
  readonly taking: Promise<boolean>;
  /** Resolves when this count has been sent, so that later requests reach the store after it. */
  readonly issued: Promise<void>;
}

/** Caches the quota for a single process. With several processes, use the plain quota instead. */
export class QuotaCache implements Quota {
  readonly #quota: Quota;
  readonly #entries = new RecentCache<string, Entry>(TENANTS);
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
