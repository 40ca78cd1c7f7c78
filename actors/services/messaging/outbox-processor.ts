import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { MessageMove } from '../../../store/messaging/status-updates.ts';
import { batchesOf } from '../../../store/patterns/batches-of.ts';
import type { Store } from '../../../store/port.ts';

/**
 * Something that has to follow from a change of a message: its chat, its events. Carried out after the change is stored, in order, and
 * again after a crash until the row says that all of it is done: every step must be idempotent, and derive what it does from the row alone.
 */
export interface OutboxHandler {
  readonly name: string;
  /** Reads what it needs, and gives what is to be done; null: nothing. It may be asked again, and what it gave done twice. */
  plan(rows: readonly MessageRow[]): Promise<FollowUp | null> | FollowUp | null;
}

/** What follows from some messages. */
export type FollowUp =
  | {
      /**
       * In this order. Each begins all that it writes before it first waits, at most a hundred documents. Where the store allows, they, those of the
       * steps beside it and the note that the outbox is processed are one.
       */
      readonly writes: readonly (() => Promise<unknown>)[];
      /** Learns that all of that is stored. A crash may come before. */
      readonly stored?: () => void;
    }
  /** More than writes that are known before: whatever comes before it is stored first. */
  | { readonly alone: () => Promise<void> };

type Planned = Extract<FollowUp, { writes: unknown }>;

const BATCH = 100;
const RETRY_MS = 5_000;

/** Receives the progress of an outbox. */
export interface OutboxListener {
  /** The outbox entries of these rows are processed. */
  followed(rows: readonly MessageRow[]): void;
  /** The outbox has been read to its end. */
  caughtUp(): void;
}

interface OutboxDeps {
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
  readonly #listener: OutboxListener | null;

  constructor(
    { store, messages, outboxHandlers, clock }: OutboxDeps,
    owner: Owner,
    failed: (cause: unknown) => void,
    listener: OutboxListener | null = null,
  ) {
    this.#store = store;
    this.#messages = messages;
    this.#owner = owner;
    this.#steps = outboxHandlers;
    this.#clock = clock;
    this.#failed = failed;
    this.#listener = listener;
  }

  /** Processes the outbox; entries that arrive meanwhile are processed too. */
  processOutbox(): void {
    this.#again = true;
    if (this.#steps.length === 0) return this.#listener?.caughtUp();
    if (this.#processing || this.#ended) return;
    this.#processing = true;
    void this.#run();
  }

  /**
   * Processes the outbox of a device that has no owner any more, and resolves when it has come to its end. Others may do so meanwhile: each step may be
   * done twice. Rejects at the first step that cannot be done.
   */
  async drain(): Promise<void> {
    this.#again = true;
    await this.#processAll();
  }

  /**
   * Stores what became of messages with all that follows from it, as one; false: nothing is stored, because this store cannot do that, because more
   * follows than writes, because one of them changed meanwhile, or because the outbox is just being processed.
   */
  async storeAtOnce(moves: readonly MessageMove[]): Promise<boolean> {
    if (this.#ended || this.#processing || !this.#store.together) return false;
    this.#processing = true;
    try {
      return await this.#allAtOnce(moves);
    } finally {
      this.#processing = false;
      if (this.#again) this.processOutbox();
    }
  }

  async #allAtOnce(moves: readonly MessageMove[]): Promise<boolean> {
    const rows = moves.map(({ after }) => after);
    const planned: Planned[] = [];
    for (const step of this.#steps) {
      const next = await step.plan(rows);
      if (next && !('writes' in next)) return false;
      if (next) planned.push(next);
    }
    // Last: where one before it throws, the rows have not moved, and all of it is done again.
    planned.push({ writes: moves.map((move) => () => this.#messages.moved(this.#owner, move)) });
    return this.#carriedOutAtOnce(planned, true);
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
      // A hint may have come before the last try more was due.
      this.#cancel();
      this.#cancel = this.#clock.after(RETRY_MS, () => this.processOutbox());
    }
    this.#processing = false;
    if (this.#again) this.processOutbox();
  }

  async #processAll(): Promise<void> {
    while (this.#again && !this.#ended) {
      this.#again = false;
      let count = 0;
      for await (const rows of batchesOf(this.#messages.withOutbox(this.#owner, BATCH))) {
        await this.#follow(rows);
        this.#listener?.followed(rows);
        count += rows.length;
      }
      this.#again ||= count === BATCH;
    }
    if (!this.#ended) this.#listener?.caughtUp();
  }

  async #follow(rows: readonly MessageRow[]): Promise<void> {
    let planned: Planned[] = [];
    const carryOut = (): Promise<void> => {
      const due = planned;
      planned = [];
      return this.#carryOut(due);
    };
    try {
      for (const step of this.#steps) {
        const next = await step.plan(rows);
        if (next === null) continue;
        if ('writes' in next) planned.push(next);
        else await carryOut().then(next.alone);
      }
    } catch (cause) {
      // A step that fails holds back none before it.
      await carryOut();
      throw cause;
    }
    planned.push({ writes: [() => this.#messages.outboxProcessed(rows)] });
    await carryOut();
  }

  /** In this order: if one of these fails none of them is stored, or at least none behind it. */
  async #carryOut(planned: readonly Planned[]): Promise<void> {
    if (await this.#carriedOutAtOnce(planned)) return;
    for (const { writes, stored } of planned) {
      for (const write of writes) await write();
      stored?.();
    }
  }

  /** False: nothing is stored, because the store cannot do that, or because it refused one of them. */
  async #carriedOutAtOnce(planned: readonly Planned[], isStrict = false): Promise<boolean> {
    const begun = this.#store.together?.(() => planned.flatMap(({ writes }) => writes.map((write) => write())), isStrict);
    if (!begun) return false;
    const settled = await Promise.allSettled(begun);
    if (settled.some(({ status }) => status === 'rejected')) return false;
    for (const { stored } of planned) stored?.();
    return true;
  }
}
