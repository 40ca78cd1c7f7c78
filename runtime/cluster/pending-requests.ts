import type { Clock } from '../clock.ts';
import { Deadlines, Link } from '../deadlines.ts';
import { entry } from '../invariant.ts';
import { wireRefusal } from './envelope.ts';

const MAX_UNANSWERED = 1_000;

/** A question of ours that is not answered yet. */
class PendingRequest extends Link {
  readonly channel: string;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (cause: Error) => void;
  readonly expired: () => void;

  constructor(channel: string, resolve: (answer: unknown) => void, reject: (cause: Error) => void, expired: () => void) {
    super();
    this.channel = channel;
    this.resolve = resolve;
    this.reject = reject;
    this.expired = expired;
  }

  override expire(): void {
    this.expired();
  }
}

/** Our unanswered questions, by number; bounded for each channel (one start of one node), all on one timer. */
export class PendingRequests {
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #open = new Map<number, PendingRequest>();
  readonly #perChannel = new Map<string, number>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#deadlines = new Deadlines(clock);
  }

  /** Opens one, sends it by its number, and gives its answer. Rejects with TIMED_OUT, OVERLOADED, or what `refuse` is given. */
  ask(channel: string, timeoutMs: number, send: (n: number) => void): Promise<unknown> {
    const waiting = this.#perChannel.get(channel) ?? 0;
    if (waiting >= MAX_UNANSWERED) return Promise.reject(wireRefusal('OVERLOADED'));
    this.#last += 1;
    const n = this.#last;
    return new Promise((resolve, reject) => {
      const question = new PendingRequest(channel, resolve, reject, () => this.refuse(n, wireRefusal('TIMED_OUT')));
      this.#open.set(n, question);
      this.#perChannel.set(channel, waiting + 1);
      this.#deadlines.add(question, timeoutMs, this.#clock.monotonic());
      send(n);
    });
  }

  /** One that is not open (any more) is ignored. */
  answer(n: number, answer: unknown): void {
    this.#close(n)?.resolve(answer);
  }

  refuse(n: number, cause: Error): void {
    this.#close(n)?.reject(cause);
  }

  /** UNAVAILABLE to every question that is for none of these channels. */
  refuseAllBut(channels: ReadonlySet<string>): void {
    for (const [n, { channel }] of this.#open) if (!channels.has(channel)) this.refuse(n, wireRefusal('UNAVAILABLE'));
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
    const waiting = entry(this.#perChannel, question.channel) - 1;
    if (waiting === 0) this.#perChannel.delete(question.channel);
    else this.#perChannel.set(question.channel, waiting);
    return question;
  }
}
