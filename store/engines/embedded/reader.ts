import type { SQLOutputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { FairLane } from '../../../runtime/fair-lane.ts';
import type { Answer, Question } from './reader-worker.ts';

export interface ReadRequest extends Pick<Question, 'sql' | 'params'> {
  readonly owner: string;
}
type Found = Record<string, SQLOutputValue>[];

interface Asker extends ReadRequest {
  readonly resolve: (rows: Found) => void;
  readonly refuse: (cause: unknown) => void;
}

const MAX_WAITING = 50;
/**
 * Maximum number of queries given to the thread at a time. With two, it is not idle between
 * queries.
 */
const MAX_ASKED = 2;

/** Runs long queries on a separate thread, which sees only committed data. */
export class Reader {
  readonly #path: string;
  readonly #waiting = new FairLane<Asker>();
  readonly #askers = new Map<number, Asker>();
  #worker: Worker | null = null;
  #asked = 0;

  constructor(path: string) {
    this.#path = path;
  }

  ask(asked: ReadRequest): Promise<Found> {
    if (this.#waiting.sizeOf(asked.owner) >= MAX_WAITING) return Promise.reject(busy());
    return new Promise((resolve, refuse) => {
      this.#waiting.push(asked.owner, { ...asked, resolve, refuse });
      this.#next();
    });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
    this.#lost('the store was closed');
  }

  #next(): void {
    if (this.#askers.size >= MAX_ASKED) return;
    const asker = this.#waiting.take();
    if (!asker) return;
    this.#asked += 1;
    this.#askers.set(this.#asked, asker);
    try {
      this.#worker ??= this.#start();
    } catch (cause) {
      return this.#lost(cause);
    }
    this.#worker.ref();
    this.#worker.postMessage({ id: this.#asked, sql: asker.sql, params: asker.params } satisfies Question);
  }

  #start(): Worker {
    // Node itself strips the types from the worker file, so a loader is neither needed nor inherited.
    const worker = new Worker(new URL('./reader-worker.ts', import.meta.url), { workerData: this.#path, execArgv: [] });
    worker.on('message', (answer: Answer) => this.#received(answer));
    worker.on('error', (cause) => this.#lost(cause));
    return worker;
  }

  #received(answer: Answer): void {
    const asker = this.#askers.get(answer.id);
    this.#askers.delete(answer.id);
    this.#next();
    if (this.#askers.size === 0) this.#worker?.unref();
    if ('rows' in answer) asker?.resolve(answer.rows);
    else asker?.refuse(Object.assign(new Error(answer.message), { errcode: answer.errcode }));
  }

  #lost(reason: unknown): void {
    this.#worker = null;
    const cause = Object.assign(new Error('the thread for long questions ended', { cause: reason }), { name: 'StoreBusy' });
    const askers = [...this.#askers.values()];
    this.#askers.clear();
    for (let asker = this.#waiting.take(); asker; asker = this.#waiting.take()) askers.push(asker);
    for (const { refuse } of askers) refuse(cause);
  }
}

const busy = (): Error => Object.assign(new Error(`${MAX_WAITING} long questions wait already`), { name: 'StoreBusy' });
