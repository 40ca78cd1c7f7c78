import { Piscina } from 'piscina';
import { refusal } from './refusals.ts';

const IDLE_MS = 30_000;
const COME_BACK_MS = 5_000;

/** One task of a worker: its function of this name, or its default one; a signal that aborts ends the thread. */
interface Told {
  readonly name?: string;
  readonly signal?: AbortSignal;
}

/** A thread for what would hold up everybody else: it starts with its first task and ends when it has had none for a while. */
export class OwnThread {
  readonly #worker: URL;
  readonly #mostWaiting: number;
  #pool: Piscina | null = null;

  constructor(worker: URL, mostWaiting: number) {
    this.#worker = worker;
    this.#mostWaiting = mostWaiting;
  }

  /** Rejects with Refusal OVERLOADED when too many tasks wait, and as the task does. */
  async run<T>(task: unknown, told: Told = {}): Promise<T> {
    const pool = this.#started();
    if (pool.queueSize >= this.#mostWaiting) throw refusal('OVERLOADED', { retryAfterMs: COME_BACK_MS });
    return pool.run(task, told);
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = null;
  }

  #started(): Piscina {
    this.#pool ??= new Piscina({
      // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
      filename: this.#worker.href,
      execArgv: [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      maxQueue: this.#mostWaiting,
    });
    return this.#pool;
  }
}
