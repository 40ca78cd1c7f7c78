import { at } from '../invariant.ts';
export interface Host {
  readonly id: string;
  /** A draining node hands over all movable items, and does not receive new ones. */
  readonly state: 'active' | 'draining';
  readonly capacity?: number;
  readonly load?: number;
}

export interface Item {
  readonly id: string;
  readonly weight: number;
  /** Null, or the id of a former member, if the item is not running. */
  readonly owner: string | null;
  /** Node that an operator chose. The choice applies as long as that node is active. */
  readonly pinned?: string | null;
  /** False while a move would interrupt the item's work, for example while a device is being paired. */
  readonly movable?: boolean;
}

export interface Move {
  readonly item: string;
  readonly from: string;
  readonly to: string;
  readonly why: 'pinned' | 'drain' | 'balance';
}

export class Carrier {
  readonly id: string;
  readonly state: Host['state'];
  readonly capacity: number;
  load: number;
  #count = 0;
  /**
   * Sorted only when an item moves, because most nodes of a balanced cluster keep all their items.
   */
  readonly #loose: Item[] = [];
  #isSorted = false;

  constructor({ id, state, capacity = 1, load = 0 }: Host) {
    this.id = id;
    this.state = state;
    this.capacity = capacity;
    this.load = load;
  }

  get level(): number {
    return this.load / this.capacity;
  }

  take(item: Item): void {
    this.load += item.weight;
    this.#count += 1;
    if (item.movable === false) return;
    if (this.#isSorted) this.#loose.splice(this.#rankOf(item.weight, item.id), 0, item);
    else this.#loose.push(item);
  }

  give(item: Item, to: Carrier, why: Move['why']): Move {
    this.#inOrder().splice(this.#rankOf(item.weight, item.id), 1);
    this.load -= item.weight;
    this.#count -= 1;
    to.take(item);
    return { item: item.id, from: this.id, to: to.id, why };
  }

  looseItems(): readonly Item[] {
    return this.#inOrder().toReversed();
  }

  #inOrder(): Item[] {
    if (!this.#isSorted) this.#loose.sort(lighterFirst);
    this.#isSorted = true;
    return this.#loose;
  }

  wouldCarryLess(other: Carrier, weight: number): boolean {
    const here = (this.load + weight) / this.capacity;
    const there = (other.load + weight) / other.capacity;
    return here < there || (here === there && this.#count / this.capacity < other.#count / other.capacity);
  }

  nearest(aim: number, below: number, isFree: (item: Item) => boolean): Item | null {
    this.#inOrder();
    const rank = this.#rankOf(aim, '');
    const heavier = this.#first(rank, 1, isFree);
    const lighter = this.#first(rank - 1, -1, isFree);
    const candidates = [lighter, heavier].flatMap((item) => (item && item.weight > 0 && item.weight < below ? [item] : []));
    return candidates.sort((a, b) => Math.abs(a.weight - aim) - Math.abs(b.weight - aim))[0] ?? null;
  }

  #first(rank: number, step: 1 | -1, isFree: (item: Item) => boolean): Item | undefined {
    for (let place = rank; ; place += step) {
      const item = this.#loose[place];
      if (item === undefined || isFree(item)) return item;
    }
  }

  #rankOf(weight: number, id: string): number {
    let low = 0;
    let high = this.#loose.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const item = at(this.#loose, middle);
      if (item.weight < weight || (item.weight === weight && item.id < id)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export const lighterFirst = (a: Item, b: Item): number => a.weight - b.weight || (a.id < b.id ? -1 : 1);
