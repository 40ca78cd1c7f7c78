const MINUTE_MS = 60_000;
const NOTABLE = 5;

export class TrafficMeter {
  #since: number;
  #count = 0;
  #told = 0;

  constructor(now: number) {
    this.#since = now;
  }

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
