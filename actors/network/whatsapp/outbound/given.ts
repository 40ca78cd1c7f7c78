import type { Cancel, Clock } from '../../../../runtime/clock.ts';

/** Less than a device waits for the acknowledgement of written messages. */
const WRITTEN_WITHIN_MS = 20_000;
/** Until it is tried again. */
const AGAIN_MS = 4_000;

/**
 * A message that was given to a connection and is not written yet. What stands in its way may be one recipient's (a question about their devices
 * that is never answered, or with an error): so it has an end of its own, at which it is given back.
 */
export class Given {
  readonly netId: string;
  isOver = false;
  readonly #giveBack: () => void;
  readonly #clock: Clock;
  readonly #cancel: Cancel;
  #wake: () => void = () => {};

  constructor(netId: string, clock: Clock, giveBack: () => void) {
    this.netId = netId;
    this.#giveBack = giveBack;
    this.#clock = clock;
    this.#cancel = clock.after(WRITTEN_WITHIN_MS, () => this.giveBack());
  }

  end(): void {
    this.isOver = true;
    this.#cancel();
    this.#wake();
  }

  /** Until it is to be tried again, or is over. */
  rest(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(AGAIN_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  giveBack(): void {
    if (this.isOver) return;
    this.end();
    this.#giveBack();
  }
}
