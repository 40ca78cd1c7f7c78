import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { StoreLog } from './statements.ts';

/** Most pages are written again soon, and each is moved once a checkpoint (measured: a fifth of this cost an insert a tenth of its CPU more). */
const PAGES_BEFORE_CHECKPOINT = 2_500;
const PAGES_BEFORE_CATCHING_UP = 5_000;
/** What may be moved between two transactions, while everybody waits. */
const FEW_PAGES = 500;
/** Asking how long the log is costs as much as storing a twentieth of a message. */
const COMMITS_BETWEEN_LOOKS = 8;

/**
 * Moves the write-ahead log into the database file on a thread of its own, so that its writes and fsyncs never stop the
 * event loop. The thread starts with the first checkpoint and keeps no process alive.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #log: StoreLog | undefined;
  readonly #size: StatementSync;
  readonly #here: StatementSync;
  #worker: Worker | null = null;
  #busy = false;
  #commits = 0;

  constructor(db: DatabaseSync, path: string, log: StoreLog | undefined) {
    this.#path = path;
    this.#log = log;
    this.#size = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#here = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** After a commit, so outside any transaction: starts a checkpoint when enough pages wait for one. */
  committed(): void {
    if (this.#busy || ++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return;
    try {
      this.#consider();
    } catch (cause) {
      this.#failed(cause);
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  // The log starts over only when all of it is in the database, which a thread racing steady writers never quite reaches: once the
  // log has grown large, the few pages that the thread has left are moved here, between two transactions.
  #consider(): void {
    const { log, checkpointed } = this.#size.get()!;
    const waiting = Number(log) - Number(checkpointed);
    const isLarge = Number(log) >= PAGES_BEFORE_CATCHING_UP;
    if (waiting >= (isLarge ? FEW_PAGES : PAGES_BEFORE_CHECKPOINT)) this.#wakeWorker();
    else if (isLarge && waiting > 0) this.#here.get();
  }

  #wakeWorker(): void {
    this.#busy = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage('checkpoint');
  }

  #start(): Worker {
    // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: this.#path, execArgv: [] });
    worker.on('message', () => {
      this.#busy = false;
    });
    worker.on('error', (cause) => {
      this.#worker = null;
      this.#failed(cause);
    });
    worker.unref();
    return worker;
  }

  #failed(cause: unknown): void {
    this.#busy = false;
    this.#log?.warn({ err: cause }, 'a checkpoint of the store failed; the next commit tries again');
  }
}
