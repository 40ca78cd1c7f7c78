import { type KeptEvent, type LineEvent, tokenOf } from '../port.ts';

/** Remembers what was told and must not be lost, until its hearer says that it is stored. */
export class Keeper {
  readonly #tell: (event: LineEvent) => void;
  readonly #waiting = new Map<string, () => void>();

  constructor(tell: (event: LineEvent) => void) {
    this.#tell = tell;
  }

  keep(event: KeptEvent, stored: () => void): void {
    const token = tokenOf(event);
    const before = this.#waiting.get(token);
    // The network may tell one thing twice, and waits for an answer to each.
    const both = (): void => {
      before?.();
      stored();
    };
    this.#waiting.set(token, before ? both : stored);
    this.#tell(event);
  }

  acknowledge(token: string): void {
    const stored = this.#waiting.get(token);
    if (this.#waiting.delete(token)) stored?.();
  }
}
