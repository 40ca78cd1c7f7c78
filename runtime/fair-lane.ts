import { RingQueue } from './ring-queue.ts';

/** A queue in which owners take turns. The entries of one owner are first in, first out. */
export class FairLane<Item> {
  readonly #lanes = new Map<string, RingQueue<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(owner: string): number {
    return this.#lanes.get(owner)?.size ?? 0;
  }

  push(owner: string, item: Item): void {
    const lane = this.#lanes.get(owner) ?? new RingQueue<Item>();
    if (lane.size === 0) this.#lanes.set(owner, lane);
    lane.push(item);
    this.#size += 1;
  }

  take(mayHave: (owner: string) => boolean = () => true): Item | undefined {
    for (const [owner, lane] of this.#lanes) {
      if (!mayHave(owner)) continue;
      this.#lanes.delete(owner);
      const item = lane.take();
      if (lane.size > 0) this.#lanes.set(owner, lane);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }
}
