import { connect, type Socket } from 'node:net';
import { systemClock } from '../../../runtime/clock.ts';

/** With `stall`, the `others` read only their greeting; otherwise they read and discard all events. */
export interface StalledOrder {
  readonly port: number;
  readonly others: readonly string[];
  readonly stall: boolean;
  readonly live: readonly string[];
}

export interface StalledProgress {
  readonly open: number;
  readonly bytes: number;
  readonly delays: readonly number[];
}

let open = 0;
let isTold = true;
let delays: number[] = [];
const bytes: number[] = [];

function tell(): void {
  if (!isTold) return;
  isTold = false;
  setImmediate(() => {
    isTold = true;
    process.send?.({ open, bytes: Math.min(...bytes), delays } satisfies StalledProgress);
    delays = [];
  });
}

function greet(port: number, path: string, then: (socket: Socket) => void): void {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
  socket.once('data', () => {
    then(socket);
    open += 1;
    tell();
  });
}

function listen(socket: Socket): void {
  const place = bytes.push(0) - 1;
  socket.on('data', (chunk) => {
    bytes[place] = (bytes[place] ?? 0) + chunk.length;
    const now = systemClock.now();
    for (const [, at] of chunk.toString('latin1').matchAll(/"occurred_at":(\d{13}),/g)) delays.push(now - Number(at));
    tell();
  });
}

process.on('message', ({ port, others, stall, live }: StalledOrder) => {
  for (const path of others) greet(port, path, (socket) => void (stall ? socket.pause() : socket.resume()));
  for (const path of live) greet(port, path, listen);
});
process.on('disconnect', () => process.exit());
