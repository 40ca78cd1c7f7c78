/**
 * A bounded memory of what was used lately. Two generations instead of an order of use: a look-up is one `Map.get`, and when the young
 * generation is full the old one is forgotten at once, so it holds between `size` and twice `size` entries.
 */
export class RecentCache<K, V> {
  readonly #size: number;
  /** Null until something is in it: thousands of devices have memories that stay empty, and an empty map takes 200 bytes. */
  #young: Map<K, V> | null = null;
  /** Null until the first generation is full: most memories never are. */
  #old: Map<K, V> | null = null;

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    const value = this.#young?.get(key);
    return value !== undefined ? value : this.#rescue(key);
  }

  set(key: K, value: V): void {
    this.#young ??= new Map();
    this.#young.set(key, value);
    if (this.#young.size < this.#size) return;
    this.#old = this.#young;
    this.#young = null;
  }

  delete(key: K): void {
    this.#young?.delete(key);
    this.#old?.delete(key);
  }

  clear(): void {
    this.#young = null;
    this.#old = null;
  }

  /** Every value held, in no promised order; one that was used in both generations may come twice. */
  *values(): Generator<V> {
    if (this.#young) yield* this.#young.values();
    if (this.#old) yield* this.#old.values();
  }

  #rescue(key: K): V | undefined {
    const value = this.#old?.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}
