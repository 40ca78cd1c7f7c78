/**
 * Commits all writes of a few event-loop ticks in one transaction with a single fsync, because the
 * commit is most of the cost of a write. An idle process runs these ticks within microseconds. The
 * writes run together at the end of the last tick (setImmediate), because running the same code
 * over many rows is cheaper than one by one (measured: by a fifth of the CPU of an accepted send).
 * No transaction stays open while other code runs, so no caller sees data that may be rolled back.
 * Many writes take several transactions, between which other work runs.
 */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Cancel, type Clock, systemClock } from '../../../runtime/clock.ts';
import { at, present } from '../../../runtime/invariant.ts';
import { RefusedTogether } from '../../port.ts';

interface QueuedWrite {
  /** Returns a function that notifies the caller. After a rollback, `work` is called again. */
  readonly work: () => () => void;
  readonly refuse: (cause: unknown) => void;
}

interface Done {
  readonly tell: () => void;
  readonly refuse: (cause: unknown) => void;
  readonly cause?: unknown;
}

/** Maximum duration of one transaction, because SQLite blocks this thread. */
const A_BITE_MS = 4;
/**
 * Number of event-loop ticks that share a transaction. A caller needs about this many before its
 * next write.
 */
const TURNS = 3;
const SOON_MS = 25;

export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #committed: () => Promise<void> | null;
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #undone: () => void;
  #waiting: QueuedWrite[] = [];
  #gathered: QueuedWrite[] | null = null;
  #isHeld = false;
  #isMarking = false;
  #isHalfDone = false;
  #isStrict = false;
  #sleepers: (() => void)[] = [];
  #cancelDeadline: Cancel | null = null;

  /** Later writes wait for the promise returned by `committed`, which must not reject. */
  constructor(
    db: DatabaseSync,
    committed: () => Promise<void> | null,
    clock: Pick<Clock, 'monotonic' | 'after'> = systemClock,
    undone: () => void = () => {},
  ) {
    this.#db = db;
    this.#undone = undone;
    this.#clock = clock;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#committed = committed;
  }

  write<R>(work: () => R): Promise<R> {
    return new Promise((resolve, refuse) => {
      const one: QueuedWrite = { work: () => told(work(), resolve), refuse };
      if (this.#gathered) this.#gathered.push(one);
      else this.#enqueue(one);
    });
  }

  /** Commits all writes that `issue` starts before its first await, or none of them. */
  together<R>(issue: () => R, isStrict = false): R {
    const outer = { gathered: this.#gathered, isStrict: this.#isStrict };
    const own: QueuedWrite[] = [];
    this.#gathered = own;
    this.#isStrict ||= isStrict;
    try {
      return issue();
    } finally {
      this.#gathered = outer.gathered;
      this.#isStrict = outer.isStrict;
      if (outer.gathered) outer.gathered.push(...own);
      else if (own.length > 0) this.#enqueue(this.#asOne(own));
    }
  }

  get isStrict(): boolean {
    return this.#isStrict;
  }

  soon(): Promise<void> {
    if (this.#waiting.length > 0) return Promise.resolve();
    this.#cancelDeadline ??= this.#clock.after(SOON_MS, () => this.#rouse());
    return new Promise((resolve) => void this.#sleepers.push(resolve));
  }

  read<R>(work: () => R): Promise<R> {
    try {
      return Promise.resolve(work());
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  flush(): void {
    while (this.#waiting.length > 0) this.#waiting = this.#together(this.#waiting, Number.POSITIVE_INFINITY);
  }

  #enqueue(one: QueuedWrite): void {
    if (this.#waiting.length === 0) this.#gather(TURNS);
    this.#waiting.push(one);
    if (this.#sleepers.length > 0) this.#rouse();
  }

  #rouse(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = null;
    const sleepers = this.#sleepers;
    this.#sleepers = [];
    for (const wake of sleepers) wake();
  }

  #gather(turns: number): void {
    setImmediate(() => (turns > 1 ? this.#gather(turns - 1) : this.#turn()));
  }

  #asOne(parts: readonly QueuedWrite[]): QueuedWrite {
    let failed: QueuedWrite | null = null;
    const doAll = (): (() => void) => {
      const done: (() => void)[] = [];
      for (const part of parts) {
        failed = part;
        done.push(part.work());
      }
      failed = null;
      return () => {
        for (const tell of done) tell();
      };
    };
    return {
      work: () => (this.#isMarking ? this.#marked(doAll) : this.#unmarked(doAll)),
      refuse(cause) {
        for (const part of parts)
          part.refuse(
            failed === null || part === failed ? cause : new RefusedTogether('a write that belongs to it was refused', { cause }),
          );
      },
    };
  }

  #unmarked<R>(work: () => R): R {
    try {
      return work();
    } catch (cause) {
      this.#isHalfDone = true;
      throw cause;
    }
  }

  #marked<R>(work: () => R): R {
    this.#db.exec('SAVEPOINT together');
    try {
      return work();
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK TO together');
      this.#undone();
      throw cause;
    } finally {
      if (this.#db.isTransaction) this.#db.exec('RELEASE together');
    }
  }

  #turn(): void {
    if (this.#isHeld || this.#waiting.length === 0) return;
    this.#waiting = this.#together(this.#waiting, this.#clock.monotonic() + A_BITE_MS);
    if (this.#waiting.length > 0) setImmediate(() => this.#turn());
  }

  /**
   * Tries without savepoints first, because savepoints make SQLite copy every page, which takes a
   * third of the CPU time.
   */
  #together(waiting: readonly QueuedWrite[], until: number): QueuedWrite[] {
    const rest = this.#attempt(waiting, until, false) ?? this.#attempt(waiting, Math.max(until, this.#clock.monotonic() + A_BITE_MS), true);
    return present(rest, 'what is left of writes that were done with marks');
  }

  #attempt(waiting: readonly QueuedWrite[], until: number, isMarking: boolean): QueuedWrite[] | null {
    const done: Done[] = [];
    this.#isMarking = isMarking;
    this.#isHalfDone = false;
    try {
      this.#begin.run();
      for (const one of waiting) {
        done.push(outcome(one));
        if (!this.#db.isTransaction) return this.#rolledBack(done, waiting);
        if (this.#isHalfDone) return this.#takenBack();
        if (this.#clock.monotonic() >= until) break;
      }
      this.#commit.run();
    } catch (cause) {
      if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#undone();
      const failed = done.length === 0 ? waiting.length : done.length;
      for (const { refuse } of waiting.slice(0, failed)) refuse(cause);
      return waiting.slice(failed);
    }
    for (const { tell } of done) tell();
    this.#holdUntil(this.#committed());
    return waiting.slice(done.length);
  }

  #takenBack(): null {
    this.#db.exec('ROLLBACK');
    this.#undone();
    return null;
  }

  #holdUntil(settled: Promise<void> | null): void {
    if (settled === null || this.#isHeld) return;
    this.#isHeld = true;
    void settled.then(() => {
      this.#isHeld = false;
      setImmediate(() => this.#turn());
    });
  }

  // A full disk or an I/O error has rolled back the whole transaction.
  #rolledBack(done: readonly Done[], waiting: readonly QueuedWrite[]): QueuedWrite[] {
    this.#undone();
    const { cause } = at(done, -1);
    for (const { refuse } of done) refuse(cause);
    return waiting.slice(done.length);
  }
}

function outcome({ work, refuse }: QueuedWrite): Done {
  try {
    return { tell: work(), refuse };
  } catch (cause) {
    return { tell: () => refuse(cause), refuse, cause };
  }
}

const told =
  <R>(value: R, resolve: (value: R) => void) =>
  (): void =>
    resolve(value);
