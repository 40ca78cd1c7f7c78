import type { Clock } from '../clock.ts';
import { inChunks } from '../in-chunks.ts';
import { at } from '../invariant.ts';
import type { Coordination, Counted, Counting, SlidingWindow } from './port.ts';

interface Asking {
  readonly windows: readonly SlidingWindow[];
  settle(answer: readonly Counted[] | Promise<never>): void;
}

/** Maximum wait of a caller in ms. Redis normally answers within a millisecond. */
const PATIENCE_MS = 250;
/** Pause in ms before the next request after an unanswered one. */
const PAUSE_MS = 1_000;
const MAX_PER_REQUEST = 500;

/** The count is late. `eventually` resolves to the late count, or rejects if there is none. */
export class LateCount extends Error {
  readonly eventually: Promise<readonly Counted[]>;

  constructor(cause: unknown, eventually: Promise<readonly Counted[]>) {
    super('the count was not answered in time', { cause });
    this.eventually = eventually;
    // The promise may not have another handler.
    eventually.catch(() => {});
  }
}

/** Combines all calls of one event-loop tick into one request to Redis. */
export class BatchedCounting implements Counting {
  readonly #coordination: Coordination;
  readonly #clock: Clock;
  #waiting: Asking[] = [];
  #silentUntil = Number.NEGATIVE_INFINITY;

  constructor(coordination: Coordination, clock: Clock) {
    this.#coordination = coordination;
    this.#clock = clock;
  }

  count(windows: readonly SlidingWindow[]): Promise<readonly Counted[]> | null {
    if (this.#clock.monotonic() < this.#silentUntil) return null;
    if (this.#waiting.length === 0) setImmediate(() => this.#ask());
    return new Promise((settle) => this.#waiting.push({ windows, settle }));
  }

  acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean> {
    return this.#inTime(this.#coordination.acquireSeat(room, seat, most, ttlMs));
  }

  releaseSeat(room: string, seat: string): Promise<void> {
    return this.#coordination.releaseSeat(room, seat);
  }

  #ask(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (const some of inChunks(all, MAX_PER_REQUEST)) this.#askFor(some);
  }

  #askFor(some: readonly Asking[]): void {
    const asked = this.#coordination.count(some.map(({ windows }) => windows));
    this.#inTime(asked).then(
      (answers) => some.forEach(({ settle }, i) => void settle(at(answers, i))),
      (cause) => {
        this.#silentUntil = this.#clock.monotonic() + PAUSE_MS;
        some.forEach(
          ({ settle }, i) =>
            void settle(
              Promise.reject(
                new LateCount(
                  cause,
                  asked.then((answers) => at(answers, i)),
                ),
              ),
            ),
        );
      },
    );
  }

  /**
   * Waits for a count. Rejects after PATIENCE_MS, but first reads pending input, in case this
   * process itself was blocked.
   */
  #inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new Error('the count was not answered in time'));
      const cancel = this.#clock.after(PATIENCE_MS, () => setImmediate(() => setImmediate(giveUp)));
      answer.finally(cancel).then(resolve, reject);
    });
  }
}
