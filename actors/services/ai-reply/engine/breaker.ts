const MAX_FAILURES = 4;
const PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** After each pause, one call tries the service again. Pauses grow until a call succeeds. */
export class CircuitBreaker {
  #failures = 0;
  #pausedUntil = 0;
  #isTried = false;

  isClosed(): boolean {
    return this.#failures < MAX_FAILURES;
  }

  /** If this returns true, call `succeeded`, `failed` or `refused` when the call has ended. */
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
