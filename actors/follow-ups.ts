import type { Cancel, Clock } from '../runtime/clock.ts';
import type { MessageRow, Messages, Owner } from '../store/messages.ts';

/**
 * Something that has to follow from a change of a message: its chat, its events. Carried out after the change is stored, in order, and
 * again after a crash until the row says that all of it is done: every step must be idempotent, and derive what it does from the row alone.
 */
export interface FollowUp {
  readonly name: string;
  run(rows: readonly MessageRow[]): Promise<void>;
}

const BATCH = 100;
const RETRY_MS = 5_000;

export interface DebtPorts {
  readonly messages: Messages;
  readonly followUps: readonly FollowUp[];
  readonly clock: Clock;
}

/** One device's changes that owe something: settled in batches, never two at a time. */
export class Debts {
  readonly #messages: Messages;
  readonly #owner: Owner;
  readonly #steps: readonly FollowUp[];
  readonly #clock: Clock;
  readonly #failed: (cause: unknown) => void;
  #settling = false;
  #again = false;
  #cancel: Cancel = () => {};
  #ended = false;

  constructor({ messages, followUps, clock }: DebtPorts, owner: Owner, failed: (cause: unknown) => void) {
    this.#messages = messages;
    this.#owner = owner;
    this.#steps = followUps;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Settles what is owed now; more that comes meanwhile is settled too. */
  settle(): void {
    this.#again = true;
    if (this.#settling || this.#ended || this.#steps.length === 0) return;
    this.#settling = true;
    void this.#run();
  }

  /** The owner changes: whoever comes next settles the rest. */
  end(): void {
    this.#ended = true;
    this.#cancel();
  }

  async #run(): Promise<void> {
    try {
      await this.#settleAll();
    } catch (cause) {
      // The debt stays in the store. A step that cannot be done must not keep the device from sending.
      this.#failed(cause);
      this.#again = false;
      this.#cancel = this.#clock.after(RETRY_MS, () => this.settle());
    }
    this.#settling = false;
    if (this.#again) this.settle();
  }

  async #settleAll(): Promise<void> {
    while (this.#again && !this.#ended) {
      this.#again = false;
      const rows = await this.#messages.owing(this.#owner, BATCH);
      if (rows.length === 0) continue;
      for (const step of this.#steps) await step.run(rows);
      await this.#messages.settled(rows);
      this.#again ||= rows.length === BATCH;
    }
  }
}
