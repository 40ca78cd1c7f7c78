import { Recent } from '../runtime/recent.ts';

const BELIEVED_MS = 5_000;
const TENANTS = 10_000;
/** Of a quota, and in messages: what other nodes and what is under way here cannot use up within one belief. */
const KEPT_BACK = { share: 0.1, least: 100 };

interface Belief {
  readonly month: string;
  readonly limit: number;
  readonly at: number;
  readonly isAmple: boolean;
}

/** Whose monthly quota is so far from its end that the next message will be granted, as read at most 5 seconds ago. */
export class Headroom {
  readonly #used: (tenantId: string, month: string) => Promise<number>;
  readonly #beliefs = new Recent<string, Belief>(TENANTS);

  constructor(used: (tenantId: string, month: string) => Promise<number>) {
    this.#used = used;
  }

  /** `limit` null: a quota without end. `now` is epoch ms. */
  isAmple(tenantId: string, month: string, limit: number | null, now: number): boolean | Promise<boolean> {
    if (limit === null) return true;
    const known = this.#beliefs.get(tenantId);
    if (!known || known.month !== month || known.limit !== limit) return this.#look(tenantId, month, limit, now);
    const age = now - known.at;
    return age >= 0 && age < BELIEVED_MS ? known.isAmple : this.#look(tenantId, month, limit, now);
  }

  async #look(tenantId: string, month: string, limit: number, now: number): Promise<boolean> {
    const left = limit - (await this.#used(tenantId, month));
    const isAmple = left > Math.max(KEPT_BACK.least, limit * KEPT_BACK.share);
    this.#beliefs.set(tenantId, { month, limit, at: now, isAmple });
    return isAmple;
  }
}
