import type { Clock } from '../../../runtime/clock.ts';

interface DelayedTask {
  readonly dueAt: number;
  readonly run: () => void;
}

/** Runs tasks in order, each after the same delay. All tasks share one timer. */
export class Latency {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #tasks: DelayedTask[] = [];
  #armed = false;

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  run(task: () => void): void {
    this.#tasks.push({ dueAt: this.#clock.monotonic() + this.#delayMs, run: task });
    if (!this.#armed) this.#arm(this.#delayMs);
  }

  #arm(ms: number): void {
    this.#armed = true;
    this.#clock.after(ms, () => this.#drain());
  }

  #drain(): void {
    let done = 0;
    try {
      for (const task of this.#tasks.slice()) {
        if (this.#leftMs(task) > 0) break;
        done += 1;
        task.run();
      }
    } finally {
      this.#tasks.splice(0, done);
      const next = this.#tasks[0];
      this.#armed = false;
      if (next) this.#arm(this.#leftMs(next));
    }
  }

  #leftMs(task: DelayedTask): number {
    const ms = task.dueAt - this.#clock.monotonic();
    // A real timer may fire a fraction of a millisecond early, so ignore such a remainder.
    return ms < 1 ? 0 : ms;
  }
}
