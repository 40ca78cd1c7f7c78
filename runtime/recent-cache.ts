/**
 * A bounded cache of recently used entries. It keeps two generations instead of the order of use,
 * so a lookup is one `Map.get`. When the young generation is full, the old one is dropped whole.
 * The cache keeps at least the last `size` entries and at most twice as many.
 */

export class RecentCache<K, V> {
  readonly #size: number;
  /** Null while empty, because an empty map takes 200 bytes and thousands of devices have empty caches. */
  #young: Map<K, V> | null = null;
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
