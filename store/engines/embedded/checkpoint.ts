import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { present } from '../../../runtime/invariant.ts';
import type { StoreLog } from './statements.ts';

export interface LogLimits {
  readonly beforeCheckpoint: number;
  readonly beforeCatchingUp: number;
  readonly few: number;
  readonly most: number;
}

/** Limits in pages. If they were a fifth as large, checkpoints would cost 10 % more CPU. */
const LIMITS: LogLimits = { beforeCheckpoint: 2_500, beforeCatchingUp: 5_000, few: 500, most: 10_000 };
/** The second checkpoint moves the pages written during the first. */
const CHECKPOINTS_IN_A_ROW = 2;
export const BUSY_TIMEOUT_MS = 5_000;
/** Checks are spaced out, because reading the log size costs a twentieth of storing a message. */
const COMMITS_BETWEEN_LOOKS = 8;

/** Checkpoints the log on a separate thread, so that its fsyncs never block the event loop. */
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

  /** Call this outside any transaction. Writers must await a returned promise. Never rejects. */
  committed(): Promise<void> | null {
    if (this.#isStopped || ++this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return null;
    try {
      return this.#consider() ? this.#caughtUp() : null;
    } catch (cause) {
      this.#failed(cause);
      return null;
    }
  }

  /** Empties the log of erased content. Returns false if a reader or checkpoint is active; retry later. */
  async truncate(): Promise<boolean> {
    if (this.#busy) return false;
    try {
      await this.#wakeWorker();
      // Without the checkpoint thread, the event-loop thread would have to move the whole log.
      return this.#worker !== null && this.#emptied();
    } catch (cause) {
      this.#failed(cause);
      return false;
    }
  }

  /** Never waits, because a long query on the reader thread must not block this thread. */
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

  // Under steady writes, the worker hardly ever empties the log, so its last pages are moved here.
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

  /** Tries to shorten the log. A long query on the reader thread may keep pages in it. */
  async #caughtUp(): Promise<void> {
    // Writes resolve after the checkpoint, so the process must stay alive until then.
    this.#worker?.ref();
    try {
      await this.#busy?.promise;
      for (let times = 1; times < CHECKPOINTS_IN_A_ROW && this.#isBehind(); times += 1) await this.#wakeWorker();
      if (!this.#isStopped && !this.#isBehind()) this.#here.get();
    } catch (cause) {
      this.#failed(cause);
    } finally {
      // While stopping, the worker stays referenced. Otherwise, the process could end before `stop`
      // sees the thread exit.
      if (!this.#isStopped) this.#worker?.unref();
    }
  }

  readonly #isBehind = (): boolean => !this.#isStopped && this.#pages().waiting >= this.#limits.few;

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
    // Node itself strips the types from the worker file, so a loader is neither needed nor inherited.
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
