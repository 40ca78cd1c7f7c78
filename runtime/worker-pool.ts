/**
 * A thread for long tasks of the gateway's own code. It starts with its first task, may keep state
 * in memory, and exits after some time without tasks. Untrusted data is read in child processes
 * instead (`child-processes/`).
 *
 * If a thread cannot start, only its waiting tasks fail. On its own, the library would keep them
 * and end the process. The next task starts a new thread.
 */

import { Piscina } from 'piscina';
import { codeOf, runtimeRefusal } from './errors.ts';

const IDLE_MS = 30_000;

interface TaskOptions {
  readonly name?: string;
  readonly signal?: AbortSignal;
}

interface WorkerOptions {
  /** A thread that has been idle for this time exits, and loses its memory. */
  readonly idleMs?: number;
  readonly maxHeapMb?: number;
}

/** Error codes if a thread cannot start because descriptors or process ids are used up. */
const NO_ROOM = new Set<unknown>(['ERR_WORKER_INIT_FAILED', 'EMFILE', 'ENFILE', 'EAGAIN']);

export class WorkerPool {
  readonly #worker: URL;
  readonly #options: WorkerOptions;
  readonly #failed = new WeakSet<Piscina>();
  #pool: Piscina | null = null;

  constructor(worker: URL, options: WorkerOptions = {}) {
    this.#worker = worker;
    this.#options = options;
  }

  /** Rejects with the task's error, or with OVERLOADED if the thread cannot start. */
  async run<T>(task: unknown, options: TaskOptions = {}): Promise<T> {
    const pool = this.#started();
    try {
      return await pool.run(task, options);
    } catch (cause) {
      if (NO_ROOM.has(codeOf(cause))) this.#discard(pool);
      throw this.#failed.has(pool) ? runtimeRefusal('OVERLOADED', { retryAfterMs: 5_000 }, { cause }) : cause;
    }
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = null;
  }

  #started(): Piscina {
    const { idleMs = IDLE_MS, maxHeapMb } = this.#options;
    if (this.#pool) return this.#pool;
    const pool = new Piscina({
      // Node strips the types of the worker file, so it needs no loader.
      filename: this.#worker.href,
      execArgv: [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(maxHeapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
    });
    pool.on('error', () => this.#discard(pool));
    this.#pool = pool;
    return pool;
  }

  #discard(pool: Piscina): void {
    this.#failed.add(pool);
    if (this.#pool === pool) this.#pool = null;
    void pool.destroy();
  }
}
