import { Piscina } from 'piscina';
import { refusal } from '../../refusals.ts';
import type { jsonAsRows } from './json-rows.ts';
import type { FilePart, ReadRows } from './read-rows.ts';

/** Reads files of contacts on a thread of its own, which starts with the first one. */
export interface ImportReader {
  rows(part: FilePart): Promise<ReadRows>;
  json(bytes: Uint8Array): Promise<ReturnType<typeof jsonAsRows>>;
  close(): Promise<void>;
}

const IDLE_MS = 30_000;
const MOST_WAITING = 200;

export function createImportReader(): ImportReader {
  let pool: Piscina | null = null;

  /** Refuses OVERLOADED when too many wait. */
  function run<T>(name: string, task: unknown): Promise<T> {
    pool ??= new Piscina({
      // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
      filename: new URL('./reader-worker.ts', import.meta.url).href,
      execArgv: [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      maxQueue: MOST_WAITING,
    });
    if (pool.queueSize >= MOST_WAITING) return Promise.reject(refusal('OVERLOADED', { retryAfterMs: 5_000 }));
    return pool.run(task, { name });
  }

  return {
    rows: (part) => run('rows', part),
    json: (bytes) => run('json', bytes),
    async close() {
      await pool?.destroy();
      pool = null;
    },
  };
}
