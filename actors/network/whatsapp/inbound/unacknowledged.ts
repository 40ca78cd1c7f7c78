import { type ConnectionEvent, type KeptEvent, tokenOf } from '../../port.ts';

export class Unacknowledged {
  readonly #tell: (event: ConnectionEvent) => void;
  readonly #waiting = new Map<string, () => void>();

  constructor(tell: (event: ConnectionEvent) => void) {
    this.#tell = tell;
  }

  keep(event: KeptEvent, stored: () => void): void {
    const token = tokenOf(event);
    const before = this.#waiting.get(token);
    // If the network reports an event twice, it expects two acks.
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
