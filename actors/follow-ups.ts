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

/** One device's changes that owe something: settled in batches, never two at a time. */
export class Debts {
  readonly #messages: Messages;
  readonly #owner: Owner;
  readonly #steps: readonly FollowUp[];
  readonly #failed: (cause: unknown) => void;
  #settling = false;
  #again = false;

  constructor(messages: Messages, owner: Owner, steps: readonly FollowUp[], failed: (cause: unknown) => void) {
    this.#messages = messages;
    this.#owner = owner;
    this.#steps = steps;
    this.#failed = failed;
  }

  /** Settles what is owed now; more that comes meanwhile is settled too. */
  settle(): void {
    this.#again = true;
    if (this.#settling || this.#steps.length === 0) return;
    this.#settling = true;
    this.#run()
      .catch(this.#failed)
      .finally(() => {
        this.#settling = false;
      });
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      const rows = await this.#messages.owing(this.#owner, BATCH);
      if (rows.length === 0) continue;
      for (const step of this.#steps) await step.run(rows);
      await this.#messages.settled(rows);
      this.#again ||= rows.length === BATCH;
    }
  }
}
