import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Clock, systemClock } from '../../runtime/clock.ts';

/** One piece of work that waits for its turn's end, and its caller, who hears after the commit. */
interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly refuse: (cause: unknown) => void;
}

/** What became of one piece of work, as its caller will hear if it is committed. */
interface Done {
  readonly tell: () => void;
  readonly refuse: (cause: unknown) => void;
  /** What it threw, if it did. */
  readonly cause?: unknown;
}

/** What has taken so long is committed before the rest is begun: everybody else waits for it, as SQLite works on this thread. */
const A_BITE_MS = 4;

/**
 * All writes of one event-loop turn share one transaction, so that one fsync serves them all. They are done together at the turn's end
 * (setImmediate) rather than one by one as they come: the same code over many rows is cheaper than all the code for each row (measured:
 * a fifth of the CPU of an accepted send), and no transaction is ever open while others run, so that nobody sees what may not last.
 * Many writes take several transactions, between which others have their turn.
 */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #committed: () => void;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #waiting: Waiting[] = [];

  /** `committed` runs after each commit and must not throw. */
  constructor(db: DatabaseSync, committed: () => void, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#db = db;
    this.#clock = clock;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#committed = committed;
  }

  /** Runs `work` in the turn's transaction, after those that came before it. Rejects with what it throws, or with what the commit throws. */
  write<R>(work: () => R): Promise<R> {
    return new Promise((resolve, refuse) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#turn());
      this.#waiting.push({ work, resolve, refuse });
    });
  }

  /** Runs `work` now, on what is committed. */
  read<R>(work: () => R): Promise<R> {
    try {
      return Promise.resolve(work());
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  /** Does and commits all that waits, at once. */
  flush(): void {
    while (this.#waiting.length > 0) this.#waiting = this.#together(this.#waiting, Number.POSITIVE_INFINITY);
  }

  #turn(): void {
    if (this.#waiting.length === 0) return;
    this.#waiting = this.#together(this.#waiting, this.#clock.monotonic() + A_BITE_MS);
    if (this.#waiting.length > 0) setImmediate(() => this.#turn());
  }

  /** Commits as many as can be done until then, and gives what is left for another transaction. */
  #together(waiting: readonly Waiting[], until: number): Waiting[] {
    const done: Done[] = [];
    try {
      this.#begin.run();
      for (const one of waiting) {
        done.push(outcome(one));
        if (!this.#db.isTransaction) return this.#rolledBack(done, waiting);
        if (this.#clock.monotonic() >= until) break;
      }
      this.#commit.run();
    } catch (cause) {
      if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
      const failed = done.length === 0 ? waiting.length : done.length;
      for (const { refuse } of waiting.slice(0, failed)) refuse(cause);
      return waiting.slice(failed);
    }
    for (const { tell } of done) tell();
    this.#committed();
    return waiting.slice(done.length);
  }

  // A full disk or an I/O error makes SQLite roll back the whole transaction: what the others did is gone with it.
  #rolledBack(done: readonly Done[], waiting: readonly Waiting[]): Waiting[] {
    const { cause } = done.at(-1)!;
    for (const { refuse } of done) refuse(cause);
    return waiting.slice(done.length);
  }
}

function outcome({ work, resolve, refuse }: Waiting): Done {
  try {
    const value = work() as never;
    return { tell: () => resolve(value), refuse };
  } catch (cause) {
    return { tell: () => refuse(cause), refuse, cause };
  }
}
