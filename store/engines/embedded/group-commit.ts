import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Cancel, type Clock, systemClock } from '../../../runtime/clock.ts';
import { at, present } from '../../../runtime/invariant.ts';
import { RefusedTogether } from '../../port.ts';

/** One piece of work that waits for the end of the turns, and its caller, who is answered after the commit. */
interface QueuedWrite {
  /** Does the work; gives how its caller learns of it. Done again where its transaction was taken back. */
  readonly work: () => () => void;
  readonly refuse: (cause: unknown) => void;
}

/** The result of one piece of work, which its caller gets once it is committed. */
interface Done {
  readonly tell: () => void;
  readonly refuse: (cause: unknown) => void;
  /** The exception, if it threw one. */
  readonly cause?: unknown;
}

/** Work that took this long is committed before the rest begins: everything else waits for it, because SQLite works on this thread. */
const A_BITE_MS = 4;
/** So many turns of the event loop share a transaction: an answer over a socket or from another thread takes about as many to come to its next write. */
const TURNS = 3;
/** What nobody waits for begins with the next write of somebody who does, or after so long. */
const SOON_MS = 25;

/**
 * All writes of a few event-loop turns share one transaction, so that one fsync serves them all: most of the price of a write is its commit. A
 * process that has nothing else to do makes these turns within microseconds. They are done together at the end of the last
 * (setImmediate) rather than one by one as they come: the same code over many rows is cheaper than all the code for each row (measured:
 * a fifth of the CPU of an accepted send), and no transaction is ever open while others run, so that nobody sees what may not last.
 * Many writes take several transactions, between which others have their turn.
 */
export class GroupCommit {
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #committed: () => Promise<void> | null;
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #undone: () => void;
  #waiting: QueuedWrite[] = [];
  /** Writes that are being gathered to be one. */
  #gathered: QueuedWrite[] | null = null;
  #isHeld = false;
  /** Can a group that is refused be undone alone? */
  #isMarking = false;
  /** A group was refused that cannot. */
  #isHalfDone = false;
  #isStrict = false;
  /** Those who wait until others write. */
  #sleepers: (() => void)[] = [];
  #cancelDeadline: Cancel | null = null;

  /**
   * `committed` runs after each commit; what it gives, if anything, holds up later writes until it settles. It must neither throw nor reject.
   * `undone` runs as soon as work that was done is rolled back.
   */
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

  /** Runs `work` in the next transaction, after those that came before it. Rejects with what it throws, or with what the commit throws. */
  write<R>(work: () => R): Promise<R> {
    return new Promise((resolve, refuse) => {
      const one: QueuedWrite = { work: () => told(work(), resolve), refuse };
      if (this.#gathered) this.#gathered.push(one);
      else this.#enqueue(one);
    });
  }

  /**
   * All writes that `issue` begins before it first waits are one: all of them are committed, or none is. Where one throws it is refused with
   * its exception, and the others with RefusedTogether.
   */
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

  /** Is a change that finds nothing to be refused, of the writes that begin now? */
  get isStrict(): boolean {
    return this.#isStrict;
  }

  /** Resolves when a write waits for its commit. */
  soon(): Promise<void> {
    if (this.#waiting.length > 0) return Promise.resolve();
    this.#cancelDeadline ??= this.#clock.after(SOON_MS, () => this.#rouse());
    return new Promise((resolve) => void this.#sleepers.push(resolve));
  }

  /** Runs `work` now, on committed data. */
  read<R>(work: () => R): Promise<R> {
    try {
      return Promise.resolve(work());
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  /** Does and commits all that waits, at once, held up or not. */
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
   * Commits as many items as fit until then, and returns the rest for another transaction. A group that is refused after a part of it was done
   * takes all back, and all is done again with marks before each group: a mark makes SQLite copy every page that is written after it
   * (measured: a third of the CPU of a webhook's four rows), and groups are hardly ever refused.
   */
  #together(waiting: readonly QueuedWrite[], until: number): QueuedWrite[] {
    const rest = this.#attempt(waiting, until, false) ?? this.#attempt(waiting, Math.max(until, this.#clock.monotonic() + A_BITE_MS), true);
    return present(rest, 'what is left of writes that were done with marks');
  }

  /** Null: without marks it does not go, and nothing was done. */
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

  // A full disk or an I/O error makes SQLite roll back the whole transaction: what the others did is gone with it.
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
