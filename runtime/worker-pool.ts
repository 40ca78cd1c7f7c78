import { Piscina } from 'piscina';

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

/** A thread for what would hold up everybody else: it starts with its first task, remembers what it likes, and ends when it has had none for a while. */
export class WorkerPool {
  readonly #worker: URL;
  readonly #options: WorkerOptions;
  #pool: Piscina | null = null;

  constructor(worker: URL, options: WorkerOptions = {}) {
    this.#worker = worker;
    this.#options = options;
  }

  /** Rejects as the task does. Tasks wait for each other in their order: whose turn it is, callers decide before (see FairSlots). */
  async run<T>(task: unknown, options: TaskOptions = {}): Promise<T> {
    return this.#started().run(task, options);
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = null;
  }

  #started(): Piscina {
    const { idleMs = IDLE_MS, maxHeapMb } = this.#options;
    this.#pool ??= new Piscina({
      // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
      filename: this.#worker.href,
      execArgv: [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: idleMs,
      ...(maxHeapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
    });
    return this.#pool;
  }
}
