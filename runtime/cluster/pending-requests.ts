import type { Clock } from '../clock.ts';
import { Deadlines, Link } from '../deadlines.ts';
import { wireRefusal } from './envelope.ts';

const MAX_UNANSWERED = 1_000;
const MAX_OF_SHARES = 900;
/**
 * A share may use an eighth of the free capacity: 100 requests if it is alone, about 50 if ten
 * shares are active.
 */
const FREE_FOR_ONE = 8;

/** A request whose share is null may use the whole capacity. */
export interface Addressee {
  readonly channel: string;
  readonly share: string | null;
}

class PendingRequest extends Link {
  readonly to: Addressee;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (cause: Error) => void;
  readonly expired: () => void;

  constructor(to: Addressee, resolve: (answer: unknown) => void, reject: (cause: Error) => void, expired: () => void) {
    super();
    this.to = to;
    this.resolve = resolve;
    this.reject = reject;
    this.expired = expired;
  }

  override expire(): void {
    this.expired();
  }
}

export class PendingRequests {
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #open = new Map<number, PendingRequest>();
  readonly #counts = new Map<string, number>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock);
  }

  ask(to: Addressee, timeoutMs: number, send: (n: number) => void): Promise<unknown> {
    if (!this.#hasRoom(to)) return Promise.reject(wireRefusal('OVERLOADED'));
    this.#last += 1;
    const n = this.#last;
    return new Promise((resolve, reject) => {
      const question = new PendingRequest(to, resolve, reject, () => this.refuse(n, wireRefusal('TIMED_OUT')));
      this.#open.set(n, question);
      this.#count(to, 1);
      this.#deadlines.add(question, timeoutMs, this.#clock.monotonic());
      send(n);
    });
  }

  answer(n: number, answer: unknown): void {
    this.#close(n)?.resolve(answer);
  }

  refuse(n: number, cause: Error): void {
    this.#close(n)?.reject(cause);
  }

  refuseAllBut(channels: ReadonlySet<string>): void {
    for (const [n, { to }] of this.#open) if (!channels.has(to.channel)) this.refuse(n, wireRefusal('UNAVAILABLE'));
  }

  close(): void {
    this.refuseAllBut(new Set());
    this.#deadlines.close();
  }

  #close(n: number): PendingRequest | undefined {
    const question = this.#open.get(n);
    if (question === undefined) return undefined;
    this.#open.delete(n);
    question.unlink();
    this.#count(question.to, -1);
    return question;
  }

  #hasRoom(to: Addressee): boolean {
    if (this.#openOf(to.channel) >= MAX_UNANSWERED) return false;
    return to.share === null || this.#openOf(shareKey(to)) * FREE_FOR_ONE < MAX_OF_SHARES - this.#openOf(allSharesKey(to));
  }

  #openOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #count(to: Addressee, change: 1 | -1): void {
    for (const key of to.share === null ? [to.channel] : [to.channel, allSharesKey(to), shareKey(to)]) {
      const open = this.#openOf(key) + change;
      if (open === 0) this.#counts.delete(key);
      else this.#counts.set(key, open);
    }
  }
}

const allSharesKey = ({ channel }: Addressee): string => `${channel} `;
const shareKey = ({ channel, share }: Addressee): string => `${channel} ${share}`;
