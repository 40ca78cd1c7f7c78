/**
 * A pool of slots that several owners share. Each owner has at most its share of the slots, waiting
 * owners take turns, and a full queue affects only its owner. An owner therefore never waits for
 * more than one task of each other owner.
 */

import { FairLane } from './fair-lane.ts';

export interface SlotLimits {
  readonly slots: number;
  readonly share: number;
  readonly waiting?: number;
  readonly full?: () => Error;
}

export class FairSlots {
  readonly #limits: SlotLimits;
  readonly #waiting = new FairLane<() => void>();
  readonly #busyOf = new Map<string, number>();
  #busy = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(owner);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves to a function that releases the slot. Rejects with `full()` if the owner's queue is full. */
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

  /** Assigns the slot before notifying its waiter, so that no later caller can take it. */
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
