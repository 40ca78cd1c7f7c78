import type { Clock } from '../clock.ts';

export class TimeSpent extends Error {
  override readonly name = 'TimeSpent';
  readonly freeAt: number;

  constructor(freeAt: number) {
    super('this owner has spent the processor time of an hour');
    this.freeAt = freeAt;
  }
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const COUNTED_MS = HOUR_MS + MINUTE_MS;

/**
 * Limits the CPU time of each owner's jobs on this node. A job that has started may exceed the
 * budget.
 */
export class CpuBudget {
  readonly #ms: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #spent = new Map<string, Map<number, number>>();

  constructor(ms: number, clock: Pick<Clock, 'now'>) {
    this.#ms = ms;
    this.#clock = clock;
  }

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
   * Owners are ordered by when they last used CPU time, so the search stops at the first active
   * owner.
   */
  #forget(): void {
    for (const owner of this.#spent.keys()) {
      if (this.#minutesOf(owner).size > 0) return;
      this.#spent.delete(owner);
    }
  }
}
