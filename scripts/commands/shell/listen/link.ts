import { forAtMost, pause, systemClock } from '../../../../runtime/clock.ts';
import { asError } from '../../../../runtime/errors.ts';
import { printable } from '../../printable.ts';
import type { Address } from './address.ts';
import { openSink } from './open-sink.ts';
import type { Identity, Outgoing, Sink } from './sink.ts';

const OPENS_WITHIN_MS = 15_000;
const CONFIRMS_WITHIN_MS = 30_000;
const CLOSES_WITHIN_MS = 2_000;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000] as const;

export class Link {
  readonly #address: Address;
  readonly #identity: Identity;
  #sink: Sink | null = null;
  #failures = 0;

  constructor(address: Address, identity: Identity) {
    this.#address = address;
    this.#identity = identity;
  }

  async open(): Promise<Sink> {
    this.#sink ??= await this.#opened().catch((cause) => this.#fail(cause));
    return this.#sink;
  }

  /** Closes the connection after a failure, because it is unknown which events have arrived. */
  async deliver(events: readonly Outgoing[], next: string | null): Promise<string> {
    const sink = await this.open();
    const said = await within(CONFIRMS_WITHIN_MS, sink.deliver(events, next), 'no confirmation').catch((cause) => this.#fail(cause));
    this.#failures = 0;
    return said;
  }

  async rest(): Promise<void> {
    await pause(systemClock, RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? RETRY_MS[0]);
  }

  async close(): Promise<void> {
    const sink = this.#sink;
    this.#sink = null;
    if (sink) await closed(sink);
  }

  async #opened(): Promise<Sink> {
    const opening = openSink(this.#address, this.#identity);
    try {
      return await within(OPENS_WITHIN_MS, opening, 'no answer');
    } catch (cause) {
      opening.then(closed, () => {});
      throw cause;
    }
  }

  async #fail(cause: unknown): Promise<never> {
    this.#failures += 1;
    await this.close();
    throw new Error(safely(reasonOf(cause), this.#address.password), { cause });
  }
}

async function within<T>(ms: number, work: Promise<T>, otherwise: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = systemClock.after(ms, () => late.reject(new Error(otherwise)));
  return Promise.race([work, late.promise]).finally(cancel);
}

const closed = (sink: Sink): Promise<void> => forAtMost(systemClock, CLOSES_WITHIN_MS, sink.close()).catch(() => {});

/** Returns the innermost error message, because libraries wrap connection errors. */
function reasonOf(cause: unknown): string {
  const error = asError(cause);
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (inner instanceof Error && inner.message !== '') return reasonOf(inner);
  return error.message || error.name;
}

/** Hides the password, because some libraries repeat it in their errors. */
function safely(reason: string, password: string | null): string {
  const hidden = password === null ? reason : reason.replaceAll(password, '***');
  return printable(hidden).replaceAll('\n', ' ').slice(0, 300);
}
