import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** One caller that hears after the commit. */
interface Waiting {
  readonly tell: () => void;
  readonly refuse: (cause: unknown) => void;
}

/**
 * All writes of one event-loop turn share one transaction: it begins with the first of them and is committed in
 * setImmediate, so that one fsync serves them all. Nobody hears of anything before that, readers of what it has written included; what it
 * has not written is as committed, and its readers need not wait for a disk.
 */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #committed: () => void;
  #waiting: Waiting[] = [];
  /** What the open transaction may have changed. */
  readonly #written = new Set<object>();
  #open = false;

  /** `committed` runs after each commit and must not throw. */
  constructor(db: DatabaseSync, committed: () => void) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#committed = committed;
  }

  /** Runs `work`, which writes to `what` only, in the turn's transaction. Rejects with what it throws, or with what the commit throws. */
  write<R>(what: object, work: () => R): Promise<R> {
    try {
      if (!this.#open) this.#start();
    } catch (cause) {
      return Promise.reject(cause);
    }
    this.#written.add(what);
    return this.#join(work);
  }

  /** Runs `work`, which reads `what` only, now; it resolves at once unless the open transaction has written there. */
  read<R>(what: object, work: () => R): Promise<R> {
    if (this.#open && this.#written.has(what)) return this.#join(work);
    try {
      return Promise.resolve(work());
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  /** Commits what is open, at once. */
  flush(): void {
    if (!this.#open) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#open = false;
    try {
      this.#commit.run();
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      for (const { refuse } of waiting) refuse(cause);
      return;
    }
    for (const { tell } of waiting) tell();
    this.#committed();
  }

  #start(): void {
    this.#begin.run();
    this.#written.clear();
    this.#open = true;
    setImmediate(() => this.flush());
  }

  #join<R>(work: () => R): Promise<R> {
    return new Promise((resolve, refuse) => {
      try {
        const value = work();
        this.#waiting.push({ tell: () => resolve(value), refuse });
      } catch (cause) {
        this.#waiting.push({ tell: () => refuse(cause), refuse });
        this.#endIfRolledBack(cause);
      }
    });
  }

  // A full disk or an I/O error makes SQLite roll back the whole transaction: what the others did is gone with it.
  #endIfRolledBack(cause: unknown): void {
    if (this.#db.isTransaction) return;
    this.#open = false;
    for (const { refuse } of this.#waiting.splice(0)) refuse(cause);
  }
}
