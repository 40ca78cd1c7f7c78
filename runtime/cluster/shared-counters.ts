import type { Clock } from '../clock.ts';
import { inChunks } from '../in-chunks.ts';
import { at } from '../invariant.ts';
import type { Coordination, Counted, Counting, SlidingWindow } from './port.ts';

interface Asking {
  readonly windows: readonly SlidingWindow[];
  settle(answer: readonly Counted[] | Promise<never>): void;
}

const PATIENCE_MS = 250;
const PAUSE_MS = 1_000;
const MAX_PER_REQUEST = 500;

/** `eventually` resolves to the late count, or rejects if no count arrives. */
export class LateCount extends Error {
  readonly eventually: Promise<readonly Counted[]>;

  constructor(cause: unknown, eventually: Promise<readonly Counted[]>) {
    super('the count was not answered in time', { cause });
    this.eventually = eventually;
    // Prevents an unhandled rejection if the caller ignores `eventually`.
    eventually.catch(() => {});
  }
}

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
   * Processes pending input first, because the response may have arrived while this process was
   * blocked.
   */
  #inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new Error('the count was not answered in time'));
      const cancel = this.#clock.after(PATIENCE_MS, () => setImmediate(() => setImmediate(giveUp)));
      answer.finally(cancel).then(resolve, reject);
    });
  }
}
