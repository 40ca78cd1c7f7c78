import type { Cancel, Clock } from '../../../runtime/clock.ts';

/** Resolution of timers; at higher rates, all logins due by then start together. */
const TICK_MS = 1;
/** Largest delay of a timer that is caught up; after a longer process pause, missed logins are not. */
const LATE_MS = 10;

type Login = () => void;

/**
 * A node-wide cap on logins per second, because a burst gets numbers banned. Tenants take turns;
 * the devices of a tenant go in order of arrival. Any second has at most the cap plus the logins
 * due within `LATE_MS` (at least one). The queue is in memory.
 */
export class LoginRateLimiter {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #waiting = new Map<string, Set<Login>>();
  #depth = 0;
  #nextAt = 0;
  #timer: Cancel | null = null;

  constructor(clock: Clock, loginsPerSecond: number) {
    this.#clock = clock;
    this.#everyMs = 1_000 / loginsPerSecond;
  }

  get depth(): number {
    return this.#depth;
  }

  /** `login` is never called synchronously. Returns a function that removes it from the queue. */
  enter(tenantId: string, login: Login): Cancel {
    // Unused capacity of an empty queue does not accumulate.
    if (this.#depth === 0) this.#nextAt = Math.max(this.#nextAt, this.#clock.monotonic());
    const own = this.#waiting.get(tenantId) ?? new Set();
    this.#waiting.set(tenantId, own.add(login));
    this.#depth += 1;
    this.#schedule(0);
    return () => this.#leave(tenantId, login);
  }

  #leave(tenantId: string, login: Login): void {
    const own = this.#waiting.get(tenantId);
    if (!own?.delete(login)) return;
    this.#depth -= 1;
    if (own.size === 0) this.#waiting.delete(tenantId);
  }

  #schedule(leastMs: number): void {
    if (this.#timer !== null || this.#depth === 0) return;
    this.#timer = this.#clock.after(Math.max(leastMs, this.#nextAt - this.#clock.monotonic()), () => this.#admit());
  }

  #admit(): void {
    this.#timer = null;
    const now = this.#clock.monotonic();
    this.#nextAt = Math.max(this.#nextAt, now - Math.max(this.#everyMs, LATE_MS));
    while (this.#nextAt <= now) {
      const login = this.#take();
      if (!login) break;
      this.#nextAt += this.#everyMs;
      login();
    }
    this.#schedule(TICK_MS);
  }

  #take(): Login | null {
    for (const [tenantId, own] of this.#waiting)
      for (const login of own) {
        this.#leave(tenantId, login);
        if (this.#waiting.delete(tenantId)) this.#waiting.set(tenantId, own);
        return login;
      }
    return null;
  }
}
