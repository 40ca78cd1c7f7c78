import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { MessageMove } from '../../../store/messaging/status-updates.ts';
import { batchesOf } from '../../../store/patterns/batches-of.ts';
import type { Store } from '../../../store/port.ts';

export interface OutboxHandler {
  readonly name: string;
  /** Plans the follow-up of these rows. May be called, and its result applied, more than once. */
  plan(rows: readonly MessageRow[]): Promise<FollowUp | null> | FollowUp | null;
}

export type FollowUp =
  | {
      /** Each write starts synchronously, and touches at most 100 documents. */
      readonly writes: readonly (() => Promise<unknown>)[];
      /** Not called if the process dies after the writes are stored. */
      readonly stored?: () => void;
    }
  | { readonly alone: () => Promise<void> };

type Planned = Extract<FollowUp, { writes: unknown }>;

const BATCH = 100;
const RETRY_MS = 5_000;

export interface OutboxListener {
  followed(rows: readonly MessageRow[]): void;
  caughtUp(): void;
}

interface OutboxDeps {
  readonly store: Pick<Store, 'together'>;
  readonly messages: Messages;
  readonly outboxHandlers: readonly OutboxHandler[];
  readonly clock: Clock;
}

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

  processOutbox(): void {
    this.#again = true;
    if (this.#steps.length === 0) return this.#listener?.caughtUp();
    if (this.#processing || this.#ended) return;
    this.#processing = true;
    void this.#run();
  }

  /** Processes the outbox of a device without an owner. Other processes may run the same steps meanwhile. */
  async drain(): Promise<void> {
    this.#again = true;
    await this.#processAll();
  }

  /** Stores all moves in one commit. Returns false, without storing anything, if that is impossible. */
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
    // Moves come last. If an earlier step fails, no row moves, so that all steps are retried.
    planned.push({ writes: moves.map((move) => () => this.#messages.moved(this.#owner, move)) });
    return this.#carriedOutAtOnce(planned, true);
  }

  end(): void {
    this.#ended = true;
    this.#cancel();
  }

  async #run(): Promise<void> {
    try {
      await this.#processAll();
    } catch (cause) {
      // If a step fails, the device can still send messages. The step is retried later.
      this.#failed(cause);
      this.#again = false;
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
      await carryOut();
      throw cause;
    }
    planned.push({ writes: [() => this.#messages.outboxProcessed(rows)] });
    await carryOut();
  }

  async #carryOut(planned: readonly Planned[]): Promise<void> {
    if (await this.#carriedOutAtOnce(planned)) return;
    for (const { writes, stored } of planned) {
      for (const write of writes) await write();
      stored?.();
    }
  }

  async #carriedOutAtOnce(planned: readonly Planned[], isStrict = false): Promise<boolean> {
    const begun = this.#store.together?.(() => planned.flatMap(({ writes }) => writes.map((write) => write())), isStrict);
    if (!begun) return false;
    const settled = await Promise.allSettled(begun);
    if (settled.some(({ status }) => status === 'rejected')) return false;
    for (const { stored } of planned) stored?.();
    return true;
  }
}
