import type { Cancel, Clock } from '../../../../runtime/clock.ts';

/** Must be shorter than the time for which a device waits for acks. */
const WRITTEN_WITHIN_MS = 20_000;
const AGAIN_MS = 4_000;

/** A message being written. Each has its own time limit, because a delay may affect only one recipient. */
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
