import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { present } from '../../../runtime/invariant.ts';
import type { StoreLog } from './statements.ts';

/** Pages of the log. */
export interface LogLimits {
  readonly beforeCheckpoint: number;
  readonly beforeCatchingUp: number;
  /** The part that may be moved between two transactions, on the thread of the event loop. */
  readonly few: number;
  /** A log that is as long holds up writers until it is moved. */
  readonly most: number;
}

/** Most pages are written again soon, and each is moved once a checkpoint (measured: a fifth of this cost an insert a tenth of its CPU more). */
const LIMITS: LogLimits = { beforeCheckpoint: 2_500, beforeCatchingUp: 5_000, few: 500, most: 10_000 };
/** What was written during one checkpoint is moved by the next. */
const CHECKPOINTS_IN_A_ROW = 2;
/** How long a statement waits for another connection. */
export const BUSY_TIMEOUT_MS = 5_000;
/** Asking how long the log is costs as much as storing a twentieth of a message. */
const COMMITS_BETWEEN_LOOKS = 8;

/**
 * Moves the write-ahead log into the database file on a thread of its own, so that its writes and fsyncs never stop the
 * event loop. The thread starts with the first checkpoint and keeps no process alive.
 */
export class Checkpoints {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #log: StoreLog | undefined;
  readonly #limits: LogLimits;
  readonly #size: StatementSync;
  readonly #here: StatementSync;
  readonly #empty: StatementSync;
  #worker: Worker | null = null;
  #busy: PromiseWithResolvers<void> | null = null;
  #commits = 0;
  #isStopped = false;

  constructor(db: DatabaseSync, path: string, log: StoreLog | undefined, limits: LogLimits = LIMITS) {
    this.#limits = limits;
    this.#db = db;
    this.#path = path;
    this.#log = log;
    this.#size = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#here = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /**
   * After a commit, so outside any transaction: starts a checkpoint when enough pages wait for one. Gives what writers have to wait for because the
   * log is too long; null: nothing. Never rejects.
   */
  committed(): Promise<void> | null {
    if (this.#isStopped || ++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return null;
    try {
      return this.#consider() ? this.#caughtUp() : null;
    } catch (cause) {
      this.#failed(cause);
      return null;
    }
  }

  /**
   * Empties the log, so that nothing of what was erased or changed is left there. Most of it is moved on the other thread first: while the rest is,
   * writers wait. False: somebody reads what is in it, or a checkpoint is under way; try again later.
   */
  async truncate(): Promise<boolean> {
    if (this.#busy) return false;
    try {
      await this.#wakeWorker();
      // No thread: its checkpoint failed, and all of the log would be moved here.
      return this.#worker !== null && this.#emptied();
    } catch (cause) {
      this.#failed(cause);
      return false;
    }
  }

  /** At once or not at all: a long question on the reader's thread must not stop this one. */
  #emptied(): boolean {
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      return Number(present(this.#empty.get(), 'the outcome of a checkpoint')['busy']) === 0;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
    this.#worker = null;
    this.#over();
  }

  // The log starts over only when all of it is in the database, which a thread racing steady writers never quite reaches: once the
  // log has grown large, the few pages that the thread has left are moved here, between two transactions.
  /** Gives whether writers have to wait. */
  #consider(): boolean {
    const { beforeCheckpoint, beforeCatchingUp, few, most } = this.#limits;
    const { pages, waiting } = this.#pages();
    const isLarge = pages >= beforeCatchingUp;
    if (this.#busy) return pages >= most;
    if (waiting >= (isLarge ? few : beforeCheckpoint)) void this.#wakeWorker();
    else if (isLarge && waiting > 0) this.#here.get();
    return pages >= most && this.#busy !== null;
  }

  #pages(): { readonly pages: number; readonly waiting: number } {
    const { log, checkpointed } = present(this.#size.get(), 'the size of the log');
    return { pages: Number(log), waiting: Number(log) - Number(checkpointed) };
  }

  /** Nobody writes meanwhile. A long question of the reader may keep pages in the log: writers are only slowed down then. */
  async #caughtUp(): Promise<void> {
    // Writes are answered after it: until then the process has something to do.
    this.#worker?.ref();
    try {
      await this.#busy?.promise;
      for (let times = 1; times < CHECKPOINTS_IN_A_ROW && this.#isBehind(); times += 1) await this.#wakeWorker();
      if (!this.#isStopped && !this.#isBehind()) this.#here.get();
    } catch (cause) {
      this.#failed(cause);
    } finally {
      // Who stops it waits for its end, maybe with nothing else to do.
      if (!this.#isStopped) this.#worker?.unref();
    }
  }

  readonly #isBehind = (): boolean => !this.#isStopped && this.#pages().waiting >= this.#limits.few;

  /** Resolves when its checkpoint is over, or failed. */
  #wakeWorker(): Promise<void> {
    this.#busy ??= Promise.withResolvers<void>();
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint');
    return this.#busy.promise;
  }

  #over(): void {
    this.#busy?.resolve();
    this.#busy = null;
  }

  #start(): Worker {
    // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: this.#path, execArgv: [] });
    worker.on('message', () => this.#over());
    worker.on('error', (cause) => {
      this.#worker = null;
      this.#failed(cause);
    });
    worker.unref();
    return worker;
  }

  #failed(cause: unknown): void {
    this.#over();
    this.#log?.warn({ event: 'store.checkpoint_failed', err: cause }, 'a checkpoint of the store failed; the next commit tries again');
  }
}
