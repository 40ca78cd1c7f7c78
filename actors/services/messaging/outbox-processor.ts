import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';

/**
 * Something that has to follow from a change of a message: its chat, its events. Carried out after the change is stored, in order, and
 * again after a crash until the row says that all of it is done: every step must be idempotent, and derive what it does from the row alone.
 */
export interface OutboxHandler {
  readonly name: string;
  /**
   * Comes after all that is not last. It begins all its writes before it first waits: where the store allows, they and the note that the outbox is
   * processed are one.
   */
  readonly isLast?: true;
  run(rows: readonly MessageRow[]): Promise<void>;
}

const BATCH = 100;
const RETRY_MS = 5_000;

export interface OutboxDeps {
  readonly store: Pick<Store, 'together'>;
  readonly messages: Messages;
  readonly outboxHandlers: readonly OutboxHandler[];
  readonly clock: Clock;
}

/** One device's outbox: processed in batches, never two at a time. */
export class OutboxProcessor {
  readonly #store: Pick<Store, 'together'>;
  readonly #messages: Messages;
  readonly #owner: Owner;
  readonly #steps: readonly OutboxHandler[];
  readonly #clock: Clock;
  readonly #failed: (cause: unknown) => void;
  #processing = false;
  #again = false;
  #cancel: Cancel = () => {};
  #ended = false;

  constructor({ store, messages, outboxHandlers, clock }: OutboxDeps, owner: Owner, failed: (cause: unknown) => void) {
    this.#store = store;
    this.#messages = messages;
    this.#owner = owner;
    this.#steps = outboxHandlers;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Processes the outbox; entries that arrive meanwhile are processed too. */
  processOutbox(): void {
    this.#again = true;
    if (this.#processing || this.#ended || this.#steps.length === 0) return;
    this.#processing = true;
    void this.#run();
  }

  /** The owner changes: the next owner processes the rest. */
  end(): void {
    this.#ended = true;
    this.#cancel();
  }

  async #run(): Promise<void> {
    try {
      await this.#processAll();
    } catch (cause) {
      // The entry stays in the store. A step that cannot be done must not keep the device from sending.
      this.#failed(cause);
      this.#again = false;
      this.#cancel = this.#clock.after(RETRY_MS, () => this.processOutbox());
    }
    this.#processing = false;
    if (this.#again) this.processOutbox();
  }

  async #processAll(): Promise<void> {
    while (this.#again && !this.#ended) {
      this.#again = false;
      const rows = await this.#messages.withOutbox(this.#owner, BATCH);
      if (rows.length === 0) continue;
      for (const step of this.#steps) if (!step.isLast) await step.run(rows);
      await this.#settle(rows);
      this.#again ||= rows.length === BATCH;
    }
  }

  /** If one of these writes fails none of them is stored, or at least not the last: the rows stay in the outbox. */
  async #settle(rows: readonly MessageRow[]): Promise<void> {
    const last = this.#steps.filter(({ isLast }) => isLast);
    const writes = this.#store.together?.(() => [...last.map((step) => step.run(rows)), this.#messages.outboxProcessed(rows)]);
    if (writes) return void (await Promise.all(writes));
    for (const step of last) await step.run(rows);
    await this.#messages.outboxProcessed(rows);
  }
}
