import { type Clock, systemClock } from '../../../runtime/clock.ts';

/** One command serves so many: its answer is one batch of the server's, and nobody waits behind many others. */
const MOST = 100;
/** The longest that somebody waits for a command that is on its way, in milliseconds. */
const PATIENCE_MS = 2;

/**
 * What one turn of the event loop asks is asked together at its end; what comes while that is on its way goes with the next command: when the
 * answer is there, after 2 ms, or when a hundred wait. A command costs the driver and the server far more than what one more asks in it.
 */
export class Gathering<Asked> {
  readonly #ask: (asked: readonly Asked[]) => Promise<void>;
  readonly #clock: Pick<Clock, 'after'>;
  #waiting: Asked[] = [];
  #underWay = 0;
  /** Those that wait go at the end of this turn. */
  #isDue = false;
  /** The others will have waited for long enough. */
  #isTimed = false;

  /** `ask` must not reject: it answers everybody. */
  constructor(ask: (asked: readonly Asked[]) => Promise<void>, clock: Pick<Clock, 'after'> = systemClock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  add(asked: Asked): void {
    this.#waiting.push(asked);
    if (this.#underWay === 0 || this.#waiting.length >= MOST) this.#soon();
    else this.#later();
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#go();
    });
  }

  #later(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#clock.after(PATIENCE_MS, () => {
      this.#isTimed = false;
      this.#go();
    });
  }

  #go(): void {
    while (this.#waiting.length > 0) void this.#send(this.#waiting.splice(0, MOST));
  }

  async #send(asked: readonly Asked[]): Promise<void> {
    this.#underWay += 1;
    await this.#ask(asked);
    this.#underWay -= 1;
    if (this.#waiting.length > 0) this.#soon();
  }
}
