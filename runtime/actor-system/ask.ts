import { Link } from '../deadlines.ts';
import { type RuntimeCode, runtimeRefusal } from '../errors.ts';
import type { Tagged } from './behaviour.ts';

export interface Holder {
  release(ask: Ask): void;
}

export class Ask extends Link {
  readonly promise: Promise<unknown>;
  readonly command: Tagged;
  settled = false;
  holder: Holder | null = null;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: Error) => void;

  constructor(command: Tagged) {
    super();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.command = { ...command, ...{ replyTo: this } };
  }

  answer(value: unknown): void {
    if (this.settled) return;
    this.#settle();
    this.#resolve(value);
  }

  refuse(error: Error): void {
    if (this.settled) return;
    this.#settle();
    this.#reject(error);
  }

  refuseWith(code: RuntimeCode): void {
    if (!this.settled) this.refuse(runtimeRefusal(code));
  }

  override expire(): void {
    this.refuseWith('TIMED_OUT');
  }

  /**
   * Asks are linked to each other in a list, so serializing a message that contains one would
   * otherwise follow the whole list.
   */
  toJSON(): string {
    return 'ask';
  }

  #settle(): void {
    this.settled = true;
    this.unlink();
    if (this.holder !== null) this.holder.release(this);
  }
}
