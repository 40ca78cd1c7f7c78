import { isPoint, type Point } from './points.ts';

/** Kills its own process, as `kill -9` does, the n-th time that the process passes the point it is armed for. */
export class Failpoint {
  #point: Point | null = null;
  #left = 0;

  /** `name:n`; empty: never. Throws an Error that names what is wrong. */
  arm(order: string): void {
    const [name = '', times = '1'] = order.split(':');
    if (name !== '' && !isPoint(name)) throw new Error(`FAILPOINT ${order} names no point.`);
    this.#point = name === '' ? null : name;
    this.#left = Number(times);
  }

  pass(point: Point): void {
    if (point !== this.#point) return;
    this.#left -= 1;
    if (this.#left === 0) process.kill(process.pid, 'SIGKILL');
  }
}
