import { promiseHooks } from 'node:v8';

export const ANY_AWAIT = 'any-await';

export class Failpoint {
  #point = '';
  #left = 0;
  #passed: Map<string, number> | null = null;

  arm(order: string): void {
    const at = order.lastIndexOf(':');
    this.#point = order.slice(0, at);
    this.#left = Number(order.slice(at + 1));
    if (this.#point === ANY_AWAIT) promiseHooks.onBefore(() => this.pass(ANY_AWAIT));
  }

  get isArmed(): boolean {
    return this.#point !== '';
  }

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

  async around<T>(steps: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const step of steps) this.pass(`before-${step}`);
    const result = await work();
    for (const step of steps) this.pass(`after-${step}`);
    return result;
  }
}
