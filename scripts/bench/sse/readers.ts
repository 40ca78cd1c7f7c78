import { connect } from 'node:net';

/** So many clients of an event stream on one port; each asks for a path of its own. */
export interface ReadersOrder {
  readonly port: number;
  readonly paths: readonly string[];
}

/** How much has come in all since the start, in bytes, said whenever nothing more comes for a moment. */
export interface Progress {
  readonly open: number;
  readonly bytes: number;
}

let open = 0;
let bytes = 0;
let isTold = true;

/** After all that is there was read, so that the measured process is not woken for each of a thousand sockets. */
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
    // The greeting may come with the headers or after them: only what follows is counted, see `Room.settled`.
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
