import { type Clock, systemClock } from '../../../runtime/clock.ts';

/** Maximum requests in one command: the response fits one server batch. */
const MOST = 100;
/** Maximum wait for a command that is in progress, in ms. */
const PATIENCE_MS = 2;

/**
 * Batches the requests of one event-loop tick into one command. Later requests go into the next
 * command, which is sent after the response, after 2 ms, or when a hundred requests wait. A command
 * costs far more than a request in it.
 */
export class Gathering<Asked> {
  readonly #ask: (asked: readonly Asked[]) => Promise<void>;
  readonly #clock: Pick<Clock, 'after'>;
  #waiting: Asked[] = [];
  #underWay = 0;
  #isDue = false;
  #isTimed = false;

  /** `ask` must not reject: it settles every request. */
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
