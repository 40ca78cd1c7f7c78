import type { Clock } from '../clock.ts';
import type { Coordination, Counted, Counting, SlidingWindow } from './port.ts';

interface Asking {
  readonly windows: readonly SlidingWindow[];
  settle(answer: readonly Counted[] | Promise<never>): void;
}

/** Nobody who asks waits for longer: Redis answers within a millisecond, or something is wrong. */
const PATIENCE_MS = 250;
/** After a question that was not answered, nobody asks for so long. */
const PAUSE_MS = 1_000;
const MOST_A_QUESTION = 500;

/** A question was not answered in time. `eventually`: what is still said of it; it rejects where nothing is. */
export class LateCount extends Error {
  readonly eventually: Promise<readonly Counted[]>;

  constructor(cause: unknown, eventually: Promise<readonly Counted[]>) {
    super('the count was not answered in time', { cause });
    this.eventually = eventually;
    // Nobody has to listen.
    eventually.catch(() => {});
  }
}

/** What is asked within one turn of the event loop is one question to Redis. */
export class CountingTogether implements Counting {
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

  sit(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean> {
    return this.#inTime(this.#coordination.sit(room, seat, most, ttlMs));
  }

  rise(room: string, seat: string): Promise<void> {
    return this.#coordination.rise(room, seat);
  }

  #ask(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < all.length; from += MOST_A_QUESTION) this.#askFor(all.slice(from, from + MOST_A_QUESTION));
  }

  #askFor(some: readonly Asking[]): void {
    const asked = this.#coordination.count(some.map(({ windows }) => windows));
    this.#inTime(asked).then(
      (answers) => some.forEach(({ settle }, i) => void settle(answers[i]!)),
      (cause) => {
        this.#silentUntil = this.#clock.monotonic() + PAUSE_MS;
        some.forEach(
          ({ settle }, i) =>
            void settle(
              Promise.reject(
                new LateCount(
                  cause,
                  asked.then((answers) => answers[i]!),
                ),
              ),
            ),
        );
      },
    );
  }

  /** Where this process itself stood still, the answer is there by now: what has come is read before anybody gives up. */
  #inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new Error('the count was not answered in time'));
      const cancel = this.#clock.after(PATIENCE_MS, () => setImmediate(() => setImmediate(giveUp)));
      answer.finally(cancel).then(resolve, reject);
    });
  }
}
