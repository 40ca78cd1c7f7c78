import { RecentCache } from '../../../../runtime/recent-cache.ts';

const REMEMBERED = 1_000;

/**
 * Copies of messages for single devices that asked for them again, until the network's word on each: it says nothing about the message, which others
 * have got.
 */
export class Copies {
  /** How many are without one. */
  readonly #waiting = new RecentCache<string, number>(REMEMBERED);

  expect(netId: string, to: string): void {
    const name = `${netId} ${to}`;
    this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + 1);
  }

  /** Whether this ack is of one of them. */
  take(netId: string, from: string): boolean {
    const name = `${netId} ${from}`;
    const waiting = this.#waiting.get(name) ?? 0;
    if (waiting > 1) this.#waiting.set(name, waiting - 1);
    else this.#waiting.delete(name);
    return waiting > 0;
  }
}
