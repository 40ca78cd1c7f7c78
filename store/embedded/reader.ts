import type { SQLOutputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Answer, Question } from './reader-worker.ts';

export type Asked = Pick<Question, 'sql' | 'params'>;
type Found = Record<string, SQLOutputValue>[];

interface Asker {
  readonly resolve: (rows: Found) => void;
  readonly refuse: (cause: unknown) => void;
}

const MOST_WAITING = 200;

/**
 * Answers what may take long (a count over all contacts of a tenant) on a thread and a connection of its own, so that nobody's question
 * stops the event loop. It sees what is committed, as everybody does. The thread starts with the first question and keeps a process alive only while
 * somebody waits for an answer.
 */
export class Reader {
  readonly #path: string;
  readonly #askers = new Map<number, Asker>();
  #worker: Worker | null = null;
  #asked = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The rows. Rejects with what SQLite says, and with a StoreBusy (see unavailable.ts) when too many wait. */
  ask({ sql, params }: Asked): Promise<Found> {
    if (this.#askers.size >= MOST_WAITING) return Promise.reject(busy());
    return new Promise((resolve, refuse) => {
      this.#asked += 1;
      this.#askers.set(this.#asked, { resolve, refuse });
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage({ id: this.#asked, sql, params } satisfies Question);
    });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
    this.#lost(new Error('the store was closed'));
  }

  #start(): Worker {
    // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
    const worker = new Worker(new URL('./reader-worker.ts', import.meta.url), { workerData: this.#path, execArgv: [] });
    worker.on('message', (answer: Answer) => this.#heard(answer));
    worker.on('error', (cause) => this.#lost(cause));
    return worker;
  }

  #heard(answer: Answer): void {
    const asker = this.#askers.get(answer.id);
    this.#askers.delete(answer.id);
    if (this.#askers.size === 0) this.#worker?.unref();
    if ('rows' in answer) asker?.resolve(answer.rows);
    else asker?.refuse(Object.assign(new Error(answer.message), { errcode: answer.errcode }));
  }

  #lost(cause: unknown): void {
    this.#worker = null;
    const askers = [...this.#askers.values()];
    this.#askers.clear();
    for (const { refuse } of askers) refuse(cause);
  }
}

const busy = (): Error => Object.assign(new Error(`${MOST_WAITING} long questions wait already`), { name: 'StoreBusy' });
