import WebSocket from 'ws';

/** Where a gateway dies: around each write of the store and of its devices' secrets, around each frame to the network, and at each one from it. */
export const POINTS = ['before-store', 'after-store', 'before-secrets', 'after-secrets', 'before-wire', 'after-wire', 'heard'] as const;
export type Point = (typeof POINTS)[number];

/** Kills its own process, as `kill -9` does, the n-th time that it passes the point it is armed for. */
export class Failpoint {
  #point = '';
  #left = 0;

  /** `point:n`. */
  arm(order: string): void {
    const [point = '', times = '1'] = order.split(':');
    this.#point = point;
    this.#left = Number(times);
  }

  pass(point: string): void {
    if (point !== this.#point) return;
    this.#left -= 1;
    if (this.#left === 0) process.kill(process.pid, 'SIGKILL');
  }
}

/** Every frame from and to the network. */
export function watchWire(failpoint: Failpoint): void {
  const { send, emit } = WebSocket.prototype;
  WebSocket.prototype.send = function (this: WebSocket, ...given: unknown[]) {
    failpoint.pass('before-wire');
    Reflect.apply(send, this, given);
    setImmediate(() => failpoint.pass('after-wire'));
  } as typeof send;
  WebSocket.prototype.emit = function (this: WebSocket, name: string, ...given: unknown[]) {
    if (name === 'message') failpoint.pass('heard');
    return Reflect.apply(emit, this, [name, ...given]);
  } as typeof emit;
}
