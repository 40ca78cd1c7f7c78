import type { Clock } from '../clock.ts';

export class TimeSpent extends Error {
  override readonly name = 'TimeSpent';
  /** When CPU time is available again, in epoch ms. */
  readonly freeAt: number;

  constructor(freeAt: number) {
    super('this owner has spent the processor time of an hour');
    this.freeAt = freeAt;
  }
}

const HOUR_MS = 3_600_000;
/** CPU time spent within a minute counts from the start of that minute. */
const MINUTE_MS = 60_000;
const COUNTED_MS = HOUR_MS + MINUTE_MS;

/** CPU time per owner in the last hour, in this node's memory. A single job may exceed the budget. */
export class CpuBudget {
  readonly #ms: number;
  readonly #clock: Pick<Clock, 'now'>;
  /** CPU ms spent per minute, oldest first, by owner. */
  readonly #spent = new Map<string, Map<number, number>>();

  constructor(ms: number, clock: Pick<Clock, 'now'>) {
    this.#ms = ms;
    this.#clock = clock;
  }

  /** Throws TimeSpent if the owner has used up its CPU time. */
  expectTime(owner: string): void {
    const minutes = this.#minutesOf(owner);
    let total = [...minutes.values()].reduce((sum, ms) => sum + ms, 0);
    for (const [minute, ms] of minutes) {
      if (total < this.#ms) return;
      total -= ms;
      if (total < this.#ms) throw new TimeSpent(minute + COUNTED_MS);
    }
  }

  spend(owner: string, ms: number): void {
    const now = this.#clock.now();
    const minute = now - (now % MINUTE_MS);
    const minutes = this.#minutesOf(owner);
    this.#spent.delete(owner);
    this.#spent.set(owner, minutes.set(minute, (minutes.get(minute) ?? 0) + ms));
    this.#forget();
  }

  #minutesOf(owner: string): Map<number, number> {
    const minutes = this.#spent.get(owner) ?? new Map<number, number>();
    for (const minute of minutes.keys()) if (minute + COUNTED_MS <= this.#clock.now()) minutes.delete(minute);
    return minutes;
  }

  /**
   * Forgets idle owners. They are ordered by when they last spent time, so the first owner whose
   * time still counts ends the search.
   */
  #forget(): void {
    for (const owner of this.#spent.keys()) {
      if (this.#minutesOf(owner).size > 0) return;
      this.#spent.delete(owner);
    }
  }
}
