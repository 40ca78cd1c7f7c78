import { promiseHooks } from 'node:v8';

/** Any await of anything in the process, of whatever part: not a place, but all of them. */
export const ANY_AWAIT = 'any-await';

/** Kills its own process, as `kill -9` does, the n-th time that it passes the point it is armed for. */
export class Failpoint {
  #point = '';
  #left = 0;
  #passed: Map<string, number> | null = null;

  /** `point:n`. */
  arm(order: string): void {
    const at = order.lastIndexOf(':');
    this.#point = order.slice(0, at);
    this.#left = Number(order.slice(at + 1));
    if (this.#point === ANY_AWAIT) promiseHooks.onBefore(() => this.pass(ANY_AWAIT));
  }

  get isArmed(): boolean {
    return this.#point !== '';
  }

  /** From now on it is counted how often each point is passed. */
  count(): void {
    this.#passed = new Map();
  }

  get passed(): ReadonlyMap<string, number> {
    return this.#passed ?? new Map();
  }

  pass(point: string): void {
    if (this.#passed) this.#passed.set(point, (this.#passed.get(point) ?? 0) + 1);
    if (point !== this.#point) return;
    this.#left -= 1;
    if (this.#left === 0) process.kill(process.pid, 'SIGKILL');
  }

  /** Runs work, which begins at once, between the points of these steps. */
  async around<T>(steps: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const step of steps) this.pass(`before-${step}`);
    const result = await work();
    for (const step of steps) this.pass(`after-${step}`);
    return result;
  }
}
