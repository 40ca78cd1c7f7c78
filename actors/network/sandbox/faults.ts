import type { Clock } from '../../../runtime/clock.ts';

type Lasting = 'down' | 'banned' | 'slow' | 'refuse' | 'silent' | 'unanswered' | 'busy';

/** Which numbers are in trouble, and until when. */
export class Faults {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(phone: string, kind: Lasting, forMs: number): void {
    this.#until.set(`${kind} ${phone}`, this.#clock.monotonic() + forMs);
  }

  isOn(phone: string, kind: Lasting): boolean {
    return this.#leftMs(phone, kind) > 0;
  }

  /** Runs `run` when this fault of the number is over; at once when it is not on. */
  whenOver(phone: string, kind: Lasting, run: () => void): void {
    const leftMs = this.#leftMs(phone, kind);
    if (leftMs <= 0) run();
    else this.#clock.after(leftMs, () => this.whenOver(phone, kind, run));
  }

  #leftMs(phone: string, kind: Lasting): number {
    if (this.#until.size === 0) return 0;
    const key = `${kind} ${phone}`;
    const leftMs = (this.#until.get(key) ?? 0) - this.#clock.monotonic();
    if (leftMs <= 0) this.#until.delete(key);
    return leftMs;
  }
}
