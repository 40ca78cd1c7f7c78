/**
 * A bounded cache that several owners share. When it is full, the owner with the most entries loses
 * the one that it set first. An owner can therefore not evict the few entries of another.
 */

export class FairCache<V> {
  readonly #size: number;
  readonly #ofOwners = new Map<string, Map<string, V>>();
  #count = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get(owner: string, key: string): V | undefined {
    return this.#ofOwners.get(owner)?.get(key);
  }

  set(owner: string, key: string, value: V): void {
    const own = this.#ofOwners.get(owner) ?? new Map<string, V>();
    this.#ofOwners.set(owner, own);
    if (!own.delete(key)) this.#count += 1;
    own.set(key, value);
    if (this.#count > this.#size) this.#evict();
  }

  #evict(): void {
    let [largest, most] = ['', new Map<string, V>()];
    for (const [owner, own] of this.#ofOwners) if (own.size > most.size) [largest, most] = [owner, own];
    for (const [oldest] of most) {
      most.delete(oldest);
      this.#count -= 1;
      break;
    }
    if (most.size === 0) this.#ofOwners.delete(largest);
  }
}
