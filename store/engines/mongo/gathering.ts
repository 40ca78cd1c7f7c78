import { type Clock, systemClock } from '../../../runtime/clock.ts';

const MOST = 100;
const PATIENCE_MS = 2;

/** Batches the requests of one event-loop tick, because most of the cost is per command. */
export class Gathering<Asked> {
  readonly #ask: (asked: readonly Asked[]) => Promise<void>;
  readonly #clock: Pick<Clock, 'after'>;
  #waiting: Asked[] = [];
  #underWay = 0;
  #isDue = false;
  #isTimed = false;

  /** `ask` must not reject, because it settles each request itself. */
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
