import { Piscina } from 'piscina';
import { codeOf, runtimeRefusal } from './errors.ts';

const IDLE_MS = 30_000;

/** One task of a worker: its function of this name, or its default one; a signal that aborts ends the thread. */
interface TaskOptions {
  readonly name?: string;
  readonly signal?: AbortSignal;
}

/** What a worker's thread may be and have. */
interface WorkerOptions {
  /** A thread that has had no task for so long ends, and what it remembers with it. */
  readonly idleMs?: number;
  /** A thread that needs more ends, and its task fails. */
  readonly maxHeapMb?: number;
}

/** What a thread fails with that the system has no room for: descriptors or process ids are used up. */
const NO_ROOM = new Set<unknown>(['ERR_WORKER_INIT_FAILED', 'EMFILE', 'ENFILE', 'EAGAIN']);

/**
 * A thread for long work of our own: it starts with its first task, remembers what it likes, and ends when it has had
 * none for a while. What comes from outside is read in child processes instead (`child-processes/`).
 *
 * A thread that cannot start fails the tasks that wait for it, and nothing else: the library would keep them, and
 * would end the process. The next task starts another one.
 */
export class WorkerPool {
  readonly #worker: URL;
  readonly #options: WorkerOptions;
  readonly #failed = new WeakSet<Piscina>();
  #pool: Piscina | null = null;

  constructor(worker: URL, options: WorkerOptions = {}) {
    this.#worker = worker;
    this.#options = options;
  }

  /**
   * Rejects as the task does, and with OVERLOADED where the thread cannot start. Tasks wait for each other in their
   * order: whose turn it is, callers decide before (see FairSlots).
   */
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
      // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
      filename: this.#worker.href,
      execArgv: [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(maxHeapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
    });
    // Of a thread that has no task: it could not start.
    pool.on('error', () => this.#discard(pool));
    this.#pool = pool;
    return pool;
  }

  /** Its waiting tasks reject. */
  #discard(pool: Piscina): void {
    this.#failed.add(pool);
    if (this.#pool === pool) this.#pool = null;
    void pool.destroy();
  }
}
