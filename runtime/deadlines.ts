import type { Cancel, Clock } from './clock.ts';

/** An entry with a deadline, which can be removed from any position in constant time. */
export class Link {
  dueAt = 0;
  #earlier: Link = this;
  #later: Link = this;

  get later(): Link {
    return this.#later;
  }

  expire(): void {}

  joinBefore(end: Link): void {
    this.#earlier = end.#earlier;
    this.#later = end;
    end.#earlier.#later = this;
    end.#earlier = this;
  }

  unlink(): void {
    this.#earlier.#later = this.#later;
    this.#later.#earlier = this.#earlier;
    this.#earlier = this;
    this.#later = this;
  }
}

/** Entries with the same waiting time, which are therefore always sorted by deadline. */
class Chain extends Link {
  readonly waitMs: number;

  constructor(waitMs: number) {
    super();
    this.waitMs = waitMs;
  }

  expireUntil(now: number): void {
    for (let first = this.later; first !== this && first.dueAt <= now; first = this.later) {
      first.unlink();
      first.expire();
    }
  }
}

/** Longest time in ms between checks, so that the timer stops soon after the last entry is removed. */
const LONGEST_NAP_MS = 1_000;

export class Deadlines {
  readonly #clock: Clock;
  readonly #lines = new Map<number, Chain>();
  #latest: Chain | null = null;
  #cancel: Cancel | null = null;
  #wakesAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(link: Link, waitMs: number, now: number): void {
    link.dueAt = Math.ceil(now + waitMs);
    link.joinBefore(this.#line(waitMs));
    if (link.dueAt < this.#wakesAt) this.#arm(link.dueAt, now);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #line(waitMs: number): Chain {
    if (this.#latest !== null && this.#latest.waitMs === waitMs) return this.#latest;
    const line = this.#lines.get(waitMs) ?? new Chain(waitMs);
    this.#lines.set(waitMs, line);
    this.#latest = line;
    return line;
  }

  #arm(dueAt: number, now: number): void {
    this.#cancel?.();
    const napMs = Math.min(dueAt - now, LONGEST_NAP_MS);
    this.#wakesAt = now + napMs;
    this.#cancel = this.#clock.after(napMs, () => this.#look());
  }

  #look(): void {
    const now = this.#clock.monotonic();
    this.#wakesAt = Number.POSITIVE_INFINITY;
    this.#cancel = null;
    this.#latest = null;
    for (const line of this.#lines.values()) {
      line.expireUntil(now);
      if (line.later === line) this.#lines.delete(line.waitMs);
    }
    const next = this.#earliest();
    if (next < this.#wakesAt) this.#arm(next, now);
  }

  #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const line of this.#lines.values()) earliest = Math.min(earliest, line.later.dueAt);
    return earliest;
  }
}
