import { refusal } from '../../actors/domain/refusals.ts';
import type { Counted, SlidingWindow } from '../../runtime/cluster/port.ts';
import { at } from '../../runtime/invariant.ts';

/** `resetMs` is the time until the window rolls over. After a refusal, waiting this long is enough. */
export interface LimitResult extends Counted {
  readonly limit: number;
}

export interface Limits {
  take(key: string, max: number, windowMs: number, now: number): LimitResult | Promise<LimitResult>;
  /** Counts one call under all of these limits or under none. Returns one result per limit, in order. */
  takeAll(windows: readonly SlidingWindow[], now: number): readonly LimitResult[] | Promise<readonly LimitResult[]>;
}

export async function takeOrRefuse(
  limits: Pick<Limits, 'take'>,
  { key, max, windowMs }: SlidingWindow,
  now: number,
  reason?: { readonly en: string; readonly id: string },
): Promise<void> {
  const { ok, limit, resetMs } = await limits.take(key, max, windowMs, now);
  if (!ok) throw refusal('RATE_LIMITED', { retryAfterMs: resetMs, limit, ...(reason && { reason }) });
}

export async function takeAllOrRefuse(limits: Pick<Limits, 'takeAll'>, windows: readonly SlidingWindow[], now: number): Promise<void> {
  const full = (await limits.takeAll(windows, now)).find(({ ok }) => !ok);
  if (full) throw refusal('RATE_LIMITED', { retryAfterMs: full.resetMs, limit: full.limit });
}

/** Counts all calls or none. If `count` exceeds `max`, only `max` calls are counted. */
export async function takeManyOrRefuse(
  limits: Pick<Limits, 'takeAll'>,
  { key, max, windowMs }: SlidingWindow,
  count: number,
  now: number,
): Promise<void> {
  const calls = Math.min(count, max);
  // All calls fit if and only if one call fits under a limit lowered by the number of other calls.
  const windows = Array.from({ length: calls }, () => ({ key, max: max - calls + 1, windowMs }));
  const full = (await limits.takeAll(windows, now)).find(({ ok }) => !ok);
  if (full) throw refusal('RATE_LIMITED', { retryAfterMs: full.resetMs, limit: max });
}

const SMALLEST_RING = 8;

class Ring {
  #at = new Float64Array(SMALLEST_RING);
  #head = 0;
  size = 0;
  windowMs = 0;

  at(index: number): number {
    return this.#at[(this.#head + index) % this.#at.length]!;
  }

  push(at: number): void {
    if (this.size === this.#at.length) this.#grow();
    this.#at[(this.#head + this.size++) % this.#at.length] = at;
  }

  dropUntil(at: number): void {
    while (this.size > 0 && this.at(0) <= at) {
      this.#head = (this.#head + 1) % this.#at.length;
      this.size--;
    }
  }

  isIdle(now: number): boolean {
    return this.size === 0 || this.at(this.size - 1) + this.windowMs <= now;
  }

  #grow(): void {
    const larger = new Float64Array(this.#at.length * 2);
    for (let index = 0; index < this.size; index++) larger[index] = this.at(index);
    this.#at = larger;
    this.#head = 0;
  }
}

export class LimitsInMemory implements Limits {
  readonly #rings = new Map<string, Ring>();
  #sweep = this.#rings.entries();

  get size(): number {
    return this.#rings.size;
  }

  take(key: string, max: number, windowMs: number, now: number): LimitResult {
    return at(this.takeAll([{ key, max, windowMs }], now), 0);
  }

  takeAll(windows: readonly SlidingWindow[], now: number): readonly LimitResult[] {
    this.#forgetIdle(now);
    const rings = windows.map(({ key, max, windowMs }) => ({ max, ring: this.#cleared(key, windowMs, now) }));
    const isFree = rings.every(({ ring, max }) => ring.size < max);
    if (isFree) for (const { ring } of rings) push(ring, now);
    return rings.map(({ ring, max }) => verdictOf(ring, max, isFree, now));
  }

  note(windows: readonly SlidingWindow[], now: number): void {
    this.#forgetIdle(now);
    for (const { key, windowMs } of windows) push(this.#cleared(key, windowMs, now), now);
  }

  countOf({ key, windowMs }: SlidingWindow, now: number): number {
    return this.#rings.has(key) ? this.#cleared(key, windowMs, now).size : 0;
  }

  #cleared(key: string, windowMs: number, now: number): Ring {
    const ring = this.#ring(key);
    ring.windowMs = windowMs;
    // Without this, a wall clock set far back would block the key until the clock catches up.
    if (ring.size > 0 && ring.at(ring.size - 1) > now + windowMs) ring.dropUntil(Number.POSITIVE_INFINITY);
    ring.dropUntil(now - windowMs);
    return ring;
  }

  #ring(key: string): Ring {
    let ring = this.#rings.get(key);
    if (!ring) {
      ring = new Ring();
      this.#rings.set(key, ring);
    }
    return ring;
  }

  /** Checks two keys per call, so that idle keys are removed faster than new keys can be added. */
  #forgetIdle(now: number): void {
    for (let looks = 0; looks < 2; looks++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#rings.entries();
        return;
      }
      if (next.value[1].isIdle(now)) this.#rings.delete(next.value[0]);
    }
  }
}

/** Times in a ring never decrease, even if the clock does. */
const push = (ring: Ring, now: number): void => ring.push(ring.size > 0 ? Math.max(now, ring.at(ring.size - 1)) : now);

function verdictOf(ring: Ring, limit: number, isCounted: boolean, now: number): LimitResult {
  const { size, windowMs } = ring;
  if (!isCounted && size >= limit) return { ok: false, limit, remaining: 0, resetMs: frees(ring, limit, now) };
  return { ok: true, limit, remaining: limit - size, resetMs: size > 0 ? ring.at(0) + windowMs - now : windowMs };
}

/** If the limit has been lowered, several calls must leave the window before a new one fits. */
function frees(ring: Ring, max: number, now: number): number {
  return max > 0 ? ring.at(ring.size - max) + ring.windowMs - now : ring.windowMs;
}
