import type { Cancel, Clock } from '../../runtime/clock.ts';

/**
 * A node-wide cap on logins a second, first come first served: when many lines fall together, hammering the network gets numbers banned
 * (reliability.md B7).
 */
export class LoginGate {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #waiting = new Set<() => void>();
  #nextAt = 0;
  #timer: Cancel | null = null;

  constructor(clock: Clock, loginsPerSecond: number) {
    this.#clock = clock;
    this.#everyMs = 1_000 / loginsPerSecond;
  }

  get depth(): number {
    return this.#waiting.size;
  }

  /** Runs `login` when its turn comes, never inside this call; the answer takes it out of the line again. */
  enter(login: () => void): Cancel {
    this.#waiting.add(login);
    this.#schedule();
    return () => this.#waiting.delete(login);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#waiting.size === 0) return;
    this.#timer = this.#clock.after(Math.max(0, this.#nextAt - this.#clock.monotonic()), () => this.#admit());
  }

  /** A timer cannot fire more often than each millisecond, so all whose turn has come go together. */
  #admit(): void {
    this.#timer = null;
    const now = this.#clock.monotonic();
    this.#nextAt = Math.max(this.#nextAt, now - this.#everyMs);
    for (const login of this.#waiting) {
      if (this.#nextAt > now) break;
      this.#nextAt += this.#everyMs;
      this.#waiting.delete(login);
      login();
    }
    this.#schedule();
  }
}
