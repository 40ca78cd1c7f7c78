import { connect } from 'node:net';

export interface ReadersOrder {
  readonly port: number;
  readonly paths: readonly string[];
}

/** Sent when data stops arriving for a moment. `bytes` is the total so far. */
export interface Progress {
  readonly open: number;
  readonly bytes: number;
}

let open = 0;
let bytes = 0;
let isTold = true;

/** Reports rarely, so that the measured process is not woken for each of a thousand sockets. */
function tell(): void {
  if (!isTold) return;
  isTold = false;
  setImmediate(() => {
    isTold = true;
    process.send?.({ open, bytes } satisfies Progress);
  });
}

function read(port: number, path: string): void {
  const socket = connect({ port, host: '127.0.0.1' });
  let isOpen = false;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`);
  socket.on('data', (chunk) => {
    // Counts a stream as open at its first data, because the greeting may arrive with the headers
    // or after them.
    if (!isOpen) open += 1;
    isOpen = true;
    bytes += chunk.length;
    tell();
  });
}

process.on('message', ({ port, paths }: ReadersOrder) => {
  for (const path of paths) read(port, path);
});
process.on('disconnect', () => process.exit());
