const SMALLEST = 8;
const KEEP_AT_MOST = 64;

/** A ring buffer that grows by doubling, so that waiting entries rarely move. */
export class RingQueue<Item> {
  #ring: (Item | undefined)[] = new Array(SMALLEST);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: Item): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#size) & (this.#ring.length - 1)] = item;
    this.#size += 1;
  }

  take(): Item | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#ring[this.#head];
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#ring.length - 1);
    this.#size -= 1;
    if (this.#size === 0 && this.#ring.length > KEEP_AT_MOST) this.#shrink();
    return item;
  }

  #grow(): void {
    const bigger = new Array<Item | undefined>(this.#ring.length * 2);
    for (let i = 0; i < this.#size; i += 1) bigger[i] = this.#ring[(this.#head + i) & (this.#ring.length - 1)];
    this.#ring = bigger;
    this.#head = 0;
  }

  #shrink(): void {
    this.#ring = new Array(SMALLEST);
    this.#head = 0;
  }
}
