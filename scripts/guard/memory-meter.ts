import { Worker } from 'node:worker_threads';

const NOW = 0;
const PEAK = 1;
const STOP = 2;
const FIGURES = 4;

/** Samples resident memory every 10 ms. A thread does this, so that this process cannot delay it. */
export class MemoryMeter {
  readonly #figures = new Int32Array(new SharedArrayBuffer(FIGURES * Int32Array.BYTES_PER_ELEMENT));
  readonly #thread: Worker;

  constructor(pid: number) {
    this.#thread = new Worker(new URL('./memory-thread.ts', import.meta.url), {
      workerData: { pid, figures: this.#figures },
      execArgv: [],
    });
    this.#thread.unref();
  }

  /** Resets the peak, and returns the current resident memory in bytes. */
  begin(): number {
    const now = Atomics.load(this.#figures, NOW);
    Atomics.store(this.#figures, PEAK, now);
    return now * 1_024;
  }

  get peak(): number {
    return Atomics.load(this.#figures, PEAK) * 1_024;
  }

  async stop(): Promise<void> {
    Atomics.store(this.#figures, STOP, 1);
    await this.#thread.terminate();
  }
}
