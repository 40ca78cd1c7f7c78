import { createHash } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';

/** A broken promise. `invariant` names its kind, by which a minimizer recognizes it. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

const MOST_LINES = 200_000;

/**
 * The events of a world, in order. `hash` covers all of them, so that two runs of one seed can be compared. `story` is
 * the part for human readers.
 */
export class History {
  readonly violations: Violation[] = [];
  /** Allowed but noteworthy events, with their counts. */
  readonly remarks = new Map<string, number>();
  readonly story: { readonly at: number; readonly what: string }[] = [];
  /** Short names of ids, for the story. */
  readonly names = new Map<string, string>();
  events = 0;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #hash = createHash('sha256');

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get hash(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  note(what: string, isTold = true): void {
    this.events += 1;
    this.#hash.update(`${this.#clock.monotonic()} ${what}\n`);
    if (isTold && this.story.length < MOST_LINES) this.story.push({ at: this.#clock.monotonic(), what });
  }

  violated(invariant: string, detail: string): void {
    this.note(`VIOLATED ${invariant}: ${detail}`);
    this.violations.push({ invariant, detail });
  }

  remark(what: string): void {
    if (!this.remarks.has(what)) this.note(`remark: ${what}`);
    this.remarks.set(what, (this.remarks.get(what) ?? 0) + 1);
  }

  /** Returns the story for human readers, with virtual times and names instead of ids. */
  timeline(): string {
    return this.story.map(({ at, what }) => `${clockOf(at)}  ${this.named(what)}`).join('\n');
  }

  named(what: string): string {
    return what.replace(/[0-9A-HJKMNP-TV-Z]{26}/g, (id) => this.names.get(id) ?? `…${id.slice(-6)}`);
  }
}

function clockOf(ms: number): string {
  const minutes = String(Math.floor(ms / 60_000)).padStart(3, ' ');
  return `${minutes}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}.${String(ms % 1_000).padStart(3, '0')}`;
}
