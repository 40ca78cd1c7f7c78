import type { Clock } from '../clock.ts';
import { RingQueue } from '../ring-queue.ts';

/** Something that has messages to handle. */
export interface Runnable {
  /** Handles up to `most` messages and gives how many it did. Must not throw. */
  run(most: number): number;
}

const SLICE_MESSAGES = 64;
const TURN_MESSAGES = 4_096;
const TURN_MS = 4;
const LOOK_EVERY = 128;

/**
 * One ready list for all actors of a system, drained in one shared microtask: each gets a slice, then goes to the end of
 * the list. After so many messages, or so many milliseconds, the rest waits for the event loop's next turn: sockets and
 * timers are served however much the actors have to say to each other.
 */
export class Dispatcher {
  readonly #clock: Clock;
  readonly #ready = new RingQueue<Runnable>();
  readonly #drain = (): void => this.#run();
  #scheduled = false;
  /** Messages handled and when that began, since the last turn of the event loop that we know of; both outlive a drain. */
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

  /** Wall-clock time for the message at hand (epoch ms). Read once for a run of messages: nothing happens between them that takes time. */
  now(): number {
    if (this.#stale) {
      this.#now = this.#clock.now();
      this.#stale = false;
    }
    return this.#now;
  }

  /** Time went by, or may have: the next `now` reads the clock. */
  timePassed(): void {
    this.#stale = true;
  }

  /** Monotonic time, exact unless a drain is under way or about to be: then it may be as old as that. */
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
