import { Piscina } from 'piscina';
import { codeOf, runtimeRefusal } from './errors.ts';

const IDLE_MS = 30_000;

/** `name` selects the worker's function. Aborting `signal` ends the thread. */
interface TaskOptions {
  readonly name?: string;
  readonly signal?: AbortSignal;
}

interface WorkerOptions {
  /** Time in ms without a task after which a thread ends and loses its memory. */
  readonly idleMs?: number;
  /** Maximum heap in MB; a thread that needs more ends, and its task fails. */
  readonly maxHeapMb?: number;
}

/** Error codes for a thread that cannot start because descriptors or process ids are used up. */
const NO_ROOM = new Set<unknown>(['ERR_WORKER_INIT_FAILED', 'EMFILE', 'ENFILE', 'EAGAIN']);

/**
 * A thread for long work of our own. It starts with its first task, may keep state in memory, and
 * ends after a time without tasks. Data from outside is read in child processes instead
 * (`child-processes/`).
 *
 * If a thread cannot start, only its waiting tasks fail; the library alone would keep them and end
 * the process. The next task starts a new thread.
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

  /** Runs a task. Rejects with the task's error, or with OVERLOADED if the thread cannot start. */
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
      // Node strips the types of the worker's file itself, so no loader is needed or inherited.
      filename: this.#worker.href,
      execArgv: [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(maxHeapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
    });
    // Emitted if a thread without a task could not start.
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
