import { type LinearPattern, linearPattern } from './regex.ts';

const MAX_BYTES = 64 * 2 ** 20;
const IN_USE_MS = 60_000;

/** Caches compiled patterns, in equal shares for tenants. If space is lacking, compiles on each use. */
class KnownPatterns {
  readonly #ofTenant = new Map<string, TenantPatterns>();
  #bytes = 0;

  find(tenantId: string, source: string, matchCase: boolean, now: number): LinearPattern | null {
    const own = this.#ofTenant.get(tenantId) ?? new TenantPatterns();
    const key = `${matchCase ? '=' : '~'}${source}`;
    const pattern = own.use(key, now) ?? linearPattern(source, matchCase);
    if (pattern && !own.has(key) && this.#makeRoom(pattern.bytes, tenantId, now)) {
      own.add(key, pattern, now);
      this.#bytes += pattern.bytes;
    }
    this.#ofTenant.delete(tenantId);
    if (own.bytes > 0) this.#ofTenant.set(tenantId, own);
    return pattern;
  }

  #makeRoom(bytes: number, tenantId: string, now: number): boolean {
    while (this.#bytes + bytes > MAX_BYTES) {
      const giver = this.#giverTo(tenantId, now);
      if (giver === null) return false;
      const { patterns } = giver;
      this.#bytes -= patterns.removeOldest();
      if (patterns.bytes === 0) this.#ofTenant.delete(giver.tenantId);
    }
    return true;
  }

  /** Finds a tenant that can release a pattern: one with an unused pattern or, if none, the largest user. */
  #giverTo(tenantId: string, now: number): Giver | null {
    let most: Giver | null = null;
    for (const [id, patterns] of this.#ofTenant) {
      if (!patterns.usesOldest(now)) return { tenantId: id, patterns };
      if (patterns.bytes > (most?.patterns.bytes ?? 0)) most = { tenantId: id, patterns };
    }
    return most?.tenantId === tenantId ? null : most;
  }
}

interface Giver {
  readonly tenantId: string;
  readonly patterns: TenantPatterns;
}

class TenantPatterns {
  readonly #used = new Map<string, { readonly pattern: LinearPattern; readonly at: number }>();
  bytes = 0;

  has(key: string): boolean {
    return this.#used.has(key);
  }

  use(key: string, now: number): LinearPattern | undefined {
    const used = this.#used.get(key);
    if (!used) return undefined;
    this.#used.delete(key);
    this.#used.set(key, { pattern: used.pattern, at: now });
    return used.pattern;
  }

  add(key: string, pattern: LinearPattern, now: number): void {
    this.#used.set(key, { pattern, at: now });
    this.bytes += pattern.bytes;
  }

  usesOldest(now: number): boolean {
    const [oldest] = this.#used.values();
    return oldest !== undefined && now - oldest.at < IN_USE_MS;
  }

  removeOldest(): number {
    const [oldest] = this.#used;
    if (!oldest) return 0;
    const [key, { pattern }] = oldest;
    this.#used.delete(key);
    this.bytes -= pattern.bytes;
    return pattern.bytes;
  }
}

export const knownPatterns = new KnownPatterns();
