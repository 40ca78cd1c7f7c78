/**
 * One ready list for all actors of a system, drained in one shared microtask. Each actor gets a
 * slice, then moves to the end of the list. After TURN_MESSAGES messages or TURN_MS milliseconds,
 * the rest waits for the next event-loop tick, so busy actors cannot starve sockets and timers.
 */

import type { Clock } from '../clock.ts';
import { RingQueue } from '../ring-queue.ts';

export interface Runnable {
  /** Handles up to `most` messages and returns their cost towards TURN_MESSAGES. Must not throw. */
  run(most: number): number;
}

const SLICE_MESSAGES = 64;
const TURN_MESSAGES = 4_096;
const TURN_MS = 4;
const LOOK_EVERY = 128;

export class Dispatcher {
  readonly #clock: Clock;
  readonly #ready = new RingQueue<Runnable>();
  readonly #drain = (): void => this.#run();
  #scheduled = false;
  /** Messages handled since the last event-loop tick, and the time of that tick; kept between drains. */
  #spent = 0;
  #since = 0;
  #pollAt = LOOK_EVERY;
  #monotonic = 0;
  #now = 0;
  #stale = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  schedule(runnable: Runnable): void {
    this.#ready.push(runnable);
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#monotonic = this.#clock.monotonic();
    queueMicrotask(this.#drain);
  }

  now(): number {
    if (this.#stale) {
      this.#now = this.#clock.now();
      this.#stale = false;
    }
    return this.#now;
  }

  timePassed(): void {
    this.#stale = true;
  }

  /** Monotonic time in ms. While a drain is scheduled or running, this may be an earlier reading. */
  monotonic(): number {
    if (!this.#scheduled) this.#monotonic = this.#clock.monotonic();
    return this.#monotonic;
  }

  #run(): void {
    try {
      while (this.#ready.size > 0 && !this.#turnIsOver()) this.#spent += this.#ready.take()!.run(SLICE_MESSAGES);
    } finally {
      this.#stale = true;
      if (this.#ready.size === 0) this.#scheduled = false;
      else this.#continueNextTurn();
    }
  }

  #turnIsOver(): boolean {
    if (this.#spent < this.#pollAt) return false;
    this.#pollAt = this.#spent + LOOK_EVERY;
    this.#monotonic = this.#clock.monotonic();
    return this.#spent >= TURN_MESSAGES || this.#monotonic - this.#since > TURN_MS;
  }

  #continueNextTurn(): void {
    setImmediate(() => {
      this.#spent = 0;
      this.#pollAt = LOOK_EVERY;
      this.#monotonic = this.#clock.monotonic();
      this.#since = this.#monotonic;
      this.#run();
    });
  }
}
