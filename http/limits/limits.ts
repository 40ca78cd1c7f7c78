import { refusal } from '../../actors/domain/refusals.ts';
import type { Counted, SlidingWindow } from '../../runtime/cluster/port.ts';
import { at } from '../../runtime/invariant.ts';

/** The result of a limit for one call. `resetMs`: until the window rolls over; after a refusal, waiting this long suffices. */
export interface LimitResult extends Counted {
  readonly limit: number;
}

/** Sliding-window limits: in any `windowMs`, at most `max` calls of a key are let through. Refused calls are not counted. */
export interface Limits {
  take(key: string, max: number, windowMs: number, now: number): LimitResult | Promise<LimitResult>;
  /** One call under several limits: counted in all of them, or in none where one refuses. A verdict for each, in their order. */
  takeAll(windows: readonly SlidingWindow[], now: number): readonly LimitResult[] | Promise<readonly LimitResult[]>;
}

/** Counts a call. Refuses RATE_LIMITED where the window is full; `reason`: which limit that is, in words. */
export async function takeOrRefuse(
  limits: Pick<Limits, 'take'>,
  { key, max, windowMs }: SlidingWindow,
  now: number,
  reason?: { readonly en: string; readonly id: string },
): Promise<void> {
  const { ok, limit, resetMs } = await limits.take(key, max, windowMs, now);
  if (!ok) throw refusal('RATE_LIMITED', { retryAfterMs: resetMs, limit, ...(reason && { reason }) });
}

/** The same under several limits: a call is counted in all of them, or in none. */
export async function takeAllOrRefuse(limits: Pick<Limits, 'takeAll'>, windows: readonly SlidingWindow[], now: number): Promise<void> {
  const full = (await limits.takeAll(windows, now)).find(({ ok }) => !ok);
  if (full) throw refusal('RATE_LIMITED', { retryAfterMs: full.resetMs, limit: full.limit });
}

/**
 * Counts `count` calls of one window at once: all of them, or none where not all fit. More than the limit are as many as the
 * limit, so that they pass once a window.
 */
export async function takeManyOrRefuse(
  limits: Pick<Limits, 'takeAll'>,
  { key, max, windowMs }: SlidingWindow,
  count: number,
  now: number,
): Promise<void> {
  const calls = Math.min(count, max);
  // There is room for all where there is room for one under a limit that is lower by the others.
  const windows = Array.from({ length: calls }, () => ({ key, max: max - calls + 1, windowMs }));
  const full = (await limits.takeAll(windows, now)).find(({ ok }) => !ok);
  if (full) throw refusal('RATE_LIMITED', { retryAfterMs: full.resetMs, limit: max });
}

const SMALLEST_RING = 8;

/** The times of the calls of one key in its window, oldest first: a ring that grows up to the limit. */
class Ring {
  #at = new Float64Array(SMALLEST_RING);
  #head = 0;
  size = 0;
  windowMs = 0;

  /** The nth oldest, from 0. */
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

/** Limits of one node, kept in memory: exact, O(1) amortised, at most `max` times a key, and keys idle for a window are forgotten. */
export class LimitsInMemory implements Limits {
  readonly #rings = new Map<string, Ring>();
  #sweep = this.#rings.entries();

  /** Keys remembered now. */
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

  /** A call that was let through elsewhere counts here, too. */
  note(windows: readonly SlidingWindow[], now: number): void {
    this.#forgetIdle(now);
    for (const { key, windowMs } of windows) push(this.#cleared(key, windowMs, now), now);
  }

  /** Calls in a window now. */
  countOf({ key, windowMs }: SlidingWindow, now: number): number {
    return this.#rings.has(key) ? this.#cleared(key, windowMs, now).size : 0;
  }

  /** Without what left the window. */
  #cleared(key: string, windowMs: number, now: number): Ring {
    const ring = this.#ring(key);
    ring.windowMs = windowMs;
    // A wall clock set back far would otherwise shut the key out until it catches up.
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

  /** Checks two keys for each call: idle ones go faster than new ones can come. */
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

/** Times in a ring never go back, though a clock may. */
const push = (ring: Ring, now: number): void => ring.push(ring.size > 0 ? Math.max(now, ring.at(ring.size - 1)) : now);

/** `isCounted`: the call was let through by all of its limits. */
function verdictOf(ring: Ring, limit: number, isCounted: boolean, now: number): LimitResult {
  const { size, windowMs } = ring;
  if (!isCounted && size >= limit) return { ok: false, limit, remaining: 0, resetMs: frees(ring, limit, now) };
  return { ok: true, limit, remaining: limit - size, resetMs: size > 0 ? ring.at(0) + windowMs - now : windowMs };
}

/** With a limit that was lowered meanwhile, more than one call has to leave the window first. */
function frees(ring: Ring, max: number, now: number): number {
  return max > 0 ? ring.at(ring.size - max) + ring.windowMs - now : ring.windowMs;
}
