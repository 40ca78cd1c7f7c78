import { isPoint, type Point } from './points.ts';

export class Failpoint {
  #point: Point | null = null;
  #left = 0;

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
