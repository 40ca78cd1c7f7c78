import { type LinearPattern, linearPattern } from './regex.ts';

/** Of patterns of either generation. */
const MAX_BYTES = 32 * 2 ** 20;

/**
 * The patterns that were used lately, of all rules of a process: however many devices have however many, they take so much memory at most, and to
 * compile one again takes no longer than to look for it. In two generations, like RecentCache, which are bounded by what they hold.
 */
class KnownPatterns {
  #young = new Map<string, LinearPattern>();
  #old = new Map<string, LinearPattern>();
  #bytes = 0;

  /** Null as `linearPattern` is. */
  find(source: string, matchCase: boolean): LinearPattern | null {
    const key = `${matchCase ? '=' : '~'}${source}`;
    const young = this.#young.get(key);
    if (young) return young;
    const pattern = this.#old.get(key) ?? linearPattern(source, matchCase);
    if (pattern) this.#keep(key, pattern);
    return pattern;
  }

  #keep(key: string, pattern: LinearPattern): void {
    this.#young.set(key, pattern);
    this.#bytes += pattern.bytes;
    if (this.#bytes < MAX_BYTES) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#bytes = 0;
  }
}

/** Of this process, as its memory is. */
export const knownPatterns = new KnownPatterns();
