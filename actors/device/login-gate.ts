import type { Cancel, Clock } from '../../runtime/clock.ts';

/** Timers are no finer: at more logins a second than that, all whose turn has come go together. */
const TICK_MS = 1;
/** A timer may ring so late, and those it kept waiting still go at once. What a process that stood still for longer missed is not made up for. */
const LATE_MS = 10;

/**
 * A node-wide cap on logins a second, first come first served: when many lines fall together, hammering the network gets numbers banned
 * (reliability.md B7). In any second at most the cap, and what falls due within `LATE_MS` (or one login).
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
    // Nobody has saved up turns while there was nobody.
    if (this.#waiting.size === 0) this.#nextAt = Math.max(this.#nextAt, this.#clock.monotonic());
    this.#waiting.add(login);
    this.#schedule(0);
    return () => this.#waiting.delete(login);
  }

  #schedule(leastMs: number): void {
    if (this.#timer !== null || this.#waiting.size === 0) return;
    this.#timer = this.#clock.after(Math.max(leastMs, this.#nextAt - this.#clock.monotonic()), () => this.#admit());
  }

  #admit(): void {
    this.#timer = null;
    const now = this.#clock.monotonic();
    this.#nextAt = Math.max(this.#nextAt, now - Math.max(this.#everyMs, LATE_MS));
    for (const login of this.#waiting) {
      if (this.#nextAt > now) break;
      this.#nextAt += this.#everyMs;
      this.#waiting.delete(login);
      login();
    }
    this.#schedule(TICK_MS);
  }
}
