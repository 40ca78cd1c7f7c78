export type Cancel = () => void;

/** The only source of time. No other code reads a clock or sets a timer. */
export interface Clock {
  now(): number;
  /** Returns monotonic ms, which clock changes do not affect. Use this for leases and durations. */
  monotonic(): number;
  after(ms: number, run: () => void): Cancel;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    // A longer delay would overflow in setTimeout, and the timer would fire immediately.
    if (ms > LONGEST_TIMER_MS) {
      let cancel = systemClock.after(LONGEST_TIMER_MS, () => {
        cancel = systemClock.after(ms - LONGEST_TIMER_MS, run);
      });
      return () => cancel();
    }
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export async function forAtMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = clock.after(ms, over.resolve);
  await Promise.race([work, over.promise]).finally(cancel);
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/**
 * Repeats `work` until it resolves to false, and ignores failures. Returns a function that stops
 * the repetition.
 */
export function repeatEvery(clock: Pick<Clock, 'after'>, ms: number, work: () => Promise<boolean>): () => Promise<void> {
  let isOver = false;
  let cancel: Cancel = () => {};
  let working: Promise<void> = Promise.resolve();
  const again = (): void => {
    cancel = clock.after(ms, () => {
      working = work().then(
        (goesOn) => {
          isOver ||= !goesOn;
        },
        () => {},
      );
      void working.then(() => isOver || again());
    });
  };
  again();
  return async () => {
    isOver = true;
    cancel();
    await working;
  };
}
