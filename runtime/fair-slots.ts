import { FairLane } from './fair-lane.ts';

export interface SlotLimits {
  /** How much is done at once. */
  readonly slots: number;
  /** Of it for one owner. */
  readonly share: number;
  /** How much of one owner may wait; absent: any number, where callers are bounded otherwise. */
  readonly waiting?: number;
  /** Thrown at an owner whose queue is full. */
  readonly full?: () => Error;
}

/**
 * A pool that several owners share: each has at most its share of the slots, a waiting owner gets a free one in turn, and a queue
 * that is full is full for its owner only. However much one owner asks for, another waits for at most one piece of work of each of the others.
 */
export class FairSlots {
  readonly #limits: SlotLimits;
  readonly #waiting = new FairLane<() => void>();
  readonly #busyOf = new Map<string, number>();
  #busy = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Runs `work` in a slot. Rejects with `full()` when too much of this owner waits, and as `work` does. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(owner);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves in a slot; the answer gives it back, once. Rejects with `full()`. */
  async enter(owner: string): Promise<() => void> {
    if (!this.#hasRoom(owner)) {
      const { waiting = Number.POSITIVE_INFINITY, full = queueFull } = this.#limits;
      if (this.#waiting.sizeOf(owner) >= waiting) throw full();
      await new Promise<void>((resolve) => this.#waiting.push(owner, resolve));
    } else this.#take(owner);
    let isIn = true;
    return () => {
      if (isIn) this.#leave(owner);
      isIn = false;
    };
  }

  #hasRoom(owner: string): boolean {
    return this.#busy < this.#limits.slots && this.#isUnderShare(owner);
  }

  #isUnderShare(owner: string): boolean {
    return (this.#busyOf.get(owner) ?? 0) < this.#limits.share;
  }

  #take(owner: string): void {
    this.#busy += 1;
    this.#busyOf.set(owner, (this.#busyOf.get(owner) ?? 0) + 1);
  }

  #leave(owner: string): void {
    this.#busy -= 1;
    const left = (this.#busyOf.get(owner) ?? 1) - 1;
    if (left === 0) this.#busyOf.delete(owner);
    else this.#busyOf.set(owner, left);
    this.#next();
  }

  /** The slot is assigned to the next waiter before it is notified, so that no later caller can be faster. */
  #next(): void {
    let chosen = '';
    const enter = this.#waiting.take((owner) => {
      chosen = owner;
      return this.#isUnderShare(owner);
    });
    if (!enter) return;
    this.#take(chosen);
    enter();
  }
}

const queueFull = (): Error => new Error('too much of one owner waits');
