import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { systemClock } from './clock.ts';

/** What a task may use: it ends where it wants more. */
export interface TaskLimits {
  /** Real time: what a processor is busy with knows no other. */
  readonly withinMs: number;
  readonly maxHeapMb: number;
  /** Memory beside the heap, which the engine itself does not limit: buffers. */
  readonly maxBuffersMb: number;
}

/** Why a task did not end by itself. */
export type TaskFailure = 'time' | 'memory' | 'crash';

export class TaskEnded extends Error {
  readonly failure: TaskFailure;

  constructor(failure: TaskFailure, cause?: unknown) {
    super(`the thread of a task was ended: ${failure}`, { cause });
    this.failure = failure;
  }
}

type Posted<Progress, Result> = { readonly progress: Progress } | { readonly result: Result };

const LOOKED_EVERY_MS = 25;
const MB = 1_048_576;

/**
 * Runs one task on a thread of its own, without this process's environment, which ends with it: nothing that it does to its thread reaches another
 * task. `thread` is a module that calls `serveTask`. Rejects with TaskEnded.
 */
export function runOnThread<Progress, Result>(
  thread: URL,
  task: unknown,
  { withinMs, maxHeapMb, maxBuffersMb }: TaskLimits,
  onProgress: (progress: Progress) => void,
): Promise<Result> {
  const worker = new Worker(thread, {
    workerData: task,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  // Libraries warn of the files that they read; unread, that would fill memory.
  worker.stdout.resume();
  worker.stderr.resume();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const stopTimer = systemClock.after(withinMs, () => reject(new TaskEnded('time')));
  const stopWatching = watched(worker, maxBuffersMb * MB, () => reject(new TaskEnded('memory')));
  worker.on('message', (posted: Posted<Progress, Result>) => ('progress' in posted ? onProgress(posted.progress) : resolve(posted.result)));
  worker.on('error', (cause: NodeJS.ErrnoException) =>
    reject(new TaskEnded(cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'crash', cause)),
  );
  worker.on('exit', () => reject(new TaskEnded('crash')));
  return promise.finally(() => {
    stopTimer();
    stopWatching();
    return worker.terminate();
  });
}

/** The other side: does the task that this thread was started for. `report` tells how far it is. */
export function serveTask<Task, Progress, Result>(work: (task: Task, report: (progress: Progress) => void) => Promise<Result>): void {
  const port = parentPort;
  if (isMainThread || !port) return;
  work(workerData, (progress) => port.postMessage({ progress })).then(
    (result) => port.postMessage({ result }),
    // As the failure of the thread.
    (cause) => queueMicrotask(() => Promise.reject(cause)),
  );
}

function watched(worker: Worker, maxBytes: number, tooMuch: () => void): () => void {
  let stop = (): void => {};
  const look = (): void => {
    worker.getHeapStatistics().then(
      ({ external_memory }) => (external_memory > maxBytes ? tooMuch() : undefined),
      // It has not begun yet, or is over.
      () => undefined,
    );
    stop = systemClock.after(LOOKED_EVERY_MS, look);
  };
  look();
  return () => stop();
}
