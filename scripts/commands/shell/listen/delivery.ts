import type { Operations } from '../../../../http/openapi/client/gateway.generated.ts';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { asError } from '../../../../runtime/errors.ts';
import { Failure } from '../../cluster/operator.ts';
import type { Shell } from '../command.ts';
import type { Link } from './link.ts';
import type { Position } from './position.ts';
import { type Format, type Outgoing, outgoing, type Sink } from './sink.ts';

/** Pause between pulls, because a key has a request limit per minute. */
export const POLL_MS = 1_000;

export interface Pulled {
  readonly events: Operations['pullEvents']['answer']['events'];
  readonly next: string | null;
  readonly isFull: boolean;
}

export interface Delivery {
  readonly shell: Shell;
  readonly link: Link;
  readonly start: Omit<Position, 'secret'> & { readonly isFresh: boolean };
  readonly format: Format;
  readonly count: number;
  readonly shown: string;
  pull(after: string | null, most: number): Promise<Pulled>;
  store(position: Omit<Position, 'secret'>): void;
}

/** Stores the position only after events have been confirmed, so the last page may arrive twice. */
export async function deliverAll(delivery: Delivery): Promise<void> {
  const { link, shell, shown, count } = delivery;
  const progress = new Progress(delivery);
  while (progress.told < count) {
    try {
      const sink = await link.open().catch((cause) => {
        throw new Undelivered(shown, cause);
      });
      await progress.agree(sink, link);
      const { events, next, isFull } = await delivery.pull(progress.after, count - progress.told);
      await progress.deliver(events, next, sink.atOnce);
      if (progress.told < count && !isFull) await pause(systemClock, POLL_MS);
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      shell.say(`${asError(cause).message}, retrying`);
      await link.rest();
    }
  }
}

class Undelivered extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what}  → ${asError(cause).message}`, { cause });
  }
}

class Progress {
  after: string | null;
  told = 0;
  readonly #done: Set<string>;
  readonly #delivery: Delivery;
  #isFresh: boolean;

  constructor(delivery: Delivery) {
    this.#delivery = delivery;
    this.after = delivery.start.after;
    this.#done = new Set(delivery.start.done);
    this.#isFresh = delivery.start.isFresh;
  }

  /** A position stored by the receiver takes precedence, unless the user wants to start from now. */
  async agree(sink: Sink, link: Link): Promise<void> {
    if (sink.held !== null && this.#isFresh) await link.deliver([], this.after);
    this.#isFresh = false;
    if (sink.held === null || sink.held === this.after) return;
    this.after = sink.held;
    this.#done.clear();
  }

  async deliver(events: Pulled['events'], next: string | null, atOnce: number): Promise<void> {
    const left = events.filter(({ id }) => !this.#done.has(id)).map((event) => outgoing(event, this.#delivery.format));
    if (atOnce === 1) {
      for (const event of left) {
        await this.#send([event], null, `${event.type}  ${event.id}`);
        this.#done.add(event.id);
        this.#delivery.store({ after: this.after, done: [...this.#done] });
      }
    } else if (next !== this.after) await this.#send(left, next, `${left.length} events`);
    if (next === null || next === this.after) return;
    this.after = next;
    this.#done.clear();
    this.#delivery.store({ after: next, done: [] });
  }

  async #send(events: readonly Outgoing[], next: string | null, what: string): Promise<void> {
    const { link, shell } = this.#delivery;
    const said = await link.deliver(events, next).catch((cause) => {
      throw new Undelivered(what, cause);
    });
    this.told += events.length;
    const [first, last] = [events[0], events.at(-1)];
    if (!first || !last) return;
    if (!shell.isJson) return shell.tell(`${what}  → ${said}`);
    const ids = events.length === 1 ? { id: first.id, type: first.type } : { events: events.length, first: first.id, last: last.id };
    shell.tell(JSON.stringify({ ...ids, status: said }));
  }
}
