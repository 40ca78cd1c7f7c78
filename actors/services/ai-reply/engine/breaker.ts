/** So many failures in a row, and it is left alone for a while. */
const MAX_FAILURES = 4;
const PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Keeps callers from a service that fails: after each pause one of them tries it, and the pauses grow until that succeeds. */
export class CircuitBreaker {
  #failures = 0;
  #pausedUntil = 0;
  #isTried = false;

  /** Is it believed to work? */
  isClosed(): boolean {
    return this.#failures < MAX_FAILURES;
  }

  /** May it be called now? True is followed by `succeeded`, `failed` or `refused`. */
  mayTry(now: number): boolean {
    if (this.isClosed()) return true;
    if (now < this.#pausedUntil || this.#isTried) return false;
    this.#isTried = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isTried = false;
  }

  /** It did not take this call: whether it works is as before. */
  refused(): void {
    this.#isTried = false;
  }

  failed(now: number): void {
    this.#failures += 1;
    this.#isTried = false;
    const pauses = this.#failures - MAX_FAILURES;
    if (pauses >= 0) this.#pausedUntil = now + Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** pauses);
  }
}
