const MINUTE_MS = 60_000;
/** Smallest rate change, in messages per minute, that is worth a write. */
const NOTABLE = 5;

export class TrafficMeter {
  #since: number;
  #count = 0;
  #told = 0;

  constructor(now: number) {
    this.#since = now;
  }

  /** Returns the rate to store once a minute has passed and it changed by half or more; null otherwise. */
  count(now: number): { readonly per_minute: number; readonly at: number } | null {
    this.#count += 1;
    const ms = now - this.#since;
    if (ms < MINUTE_MS) return null;
    const perMinute = Math.round((this.#count * MINUTE_MS) / ms);
    this.#since = now;
    this.#count = 0;
    if (Math.abs(perMinute - this.#told) < Math.max(NOTABLE, this.#told / 2)) return null;
    this.#told = perMinute;
    return { per_minute: perMinute, at: now };
  }
}
