import type { Cancel, Clock } from '../../../runtime/clock.ts';

const TICK_MS = 1;
const LATE_MS = 10;

type Login = () => void;

/** Limits a node's logins per second, because bursts get numbers banned. Tenants take turns. */
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

  enter(tenantId: string, login: Login): Cancel {
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
