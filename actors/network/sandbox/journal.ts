import type { Clock } from '../../../runtime/clock.ts';
import type { JournalEntry } from './protocol.ts';

export class Journal {
  readonly #clock: Clock;
  readonly #limit: number;
  #entries: JournalEntry[] = [];
  #seq = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  note(entry: Omit<JournalEntry, 'seq' | 'at'>): void {
    this.#entries.push({ seq: ++this.#seq, at: this.#clock.now(), ...entry });
    // Trim many entries at once, because trimming copies all entries that are kept.
    if (this.#entries.length > this.#limit * 1.25) this.#entries = this.#entries.slice(-this.#limit);
  }

  after(seq = 0, limit = Number.POSITIVE_INFINITY): readonly JournalEntry[] {
    const start = Math.max(0, seq + 1 - (this.#entries[0]?.seq ?? 1));
    return this.#entries.slice(start, start + limit);
  }

  of(what: JournalEntry['what']): readonly JournalEntry[] {
    return this.#entries.filter((entry) => entry.what === what);
  }
}
