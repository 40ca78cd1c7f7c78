import { systemClock } from '../../../../runtime/clock.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';

const KNOWN = 1_000;

interface Kept {
  readonly value: unknown;
  readonly until: number;
}

/** A bounded cache without timers. The library's own packages take 9 KB per device, even if empty. */
class LoginCache {
  readonly #known = new RecentCache<string, Kept>(KNOWN);
  readonly #forMs: number;

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  get(key: string): unknown {
    const kept = this.#known.get(key);
    return kept && kept.until > systemClock.now() ? kept.value : undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: unknown): boolean {
    this.#known.set(key, { value, until: systemClock.now() + this.#forMs });
    return true;
  }

  clear(): void {
    this.#known.clear();
  }

  close(): void {
    this.clear();
  }
}

/** `stdTTL` is in seconds. If it is absent or 0, entries do not expire. */
export class NodeCache extends LoginCache {
  constructor({ stdTTL = 0 }: { readonly stdTTL?: number } = {}) {
    super(stdTTL > 0 ? stdTTL * 1_000 : Number.POSITIVE_INFINITY);
  }
}

export class LRUCache extends LoginCache {
  constructor({ ttl = Number.POSITIVE_INFINITY }: { readonly ttl?: number } = {}) {
    super(ttl);
  }
}

export default NodeCache;
