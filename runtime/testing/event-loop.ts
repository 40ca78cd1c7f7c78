import { subscribe } from 'node:diagnostics_channel';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A connection within this process; an end is missing until it is known. */
interface Wire {
  client: Socket | null;
  server: Socket | null;
  /** Something stays on it: its reader has stopped reading. */
  isStuck: boolean;
}

const MAX_MS = 2_000;
const wires = new Map<string, Wire>();
const deps = new Set<number>();

subscribe('net.client.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  socket.once('connect', () => {
    if (deps.has(socket.remotePort ?? 0)) add(`${socket.localPort} ${socket.remotePort}`, 'client', socket);
  });
});

subscribe('net.server.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  add(`${socket.remotePort} ${socket.localPort}`, 'server', socket);
});

subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  const { server } = message as { readonly server: Server };
  // null when it was closed at once.
  const { port } = (server.address() ?? {}) as Partial<AddressInfo>;
  if (port === undefined) return;
  deps.add(port);
  server.once('close', () => deps.delete(port));
});

function add(name: string, end: 'client' | 'server', socket: Socket): void {
  const wire = wires.get(name) ?? { client: null, server: null, isStuck: false };
  wire[end] = socket;
  wires.set(name, wire);
  socket.once('close', () => {
    if (wires.get(name) === wire && wire.client?.closed !== false && wire.server?.closed !== false) wires.delete(name);
  });
}

/**
 * Waits for what is on its way from one socket of this process to another: bytes, a connection that nobody accepted yet, the news of an end. A
 * busy machine takes its time over them. What takes too long is not coming, and is not waited for again. False: nothing was on its way.
 */
export async function arrived(turn: () => Promise<void>): Promise<boolean> {
  let moving = onTheWay();
  if (moving.length === 0) return false;
  const since = performance.now();
  while (moving.length > 0 && performance.now() - since < MAX_MS) {
    await turn();
    moving = onTheWay();
  }
  for (const wire of moving) wire.isStuck = true;
  return true;
}

const onTheWay = (): readonly Wire[] =>
  [...wires.values()].filter(({ client, server, isStuck }) => !isStuck && (isOnTheWay(client, server) || isOnTheWay(server, client)));

function isOnTheWay(from: Socket | null, to: Socket | null): boolean {
  if (from === null || to?.destroyed) return false;
  if (to === null) return from.bytesWritten > 0 && !from.destroyed;
  return from.bytesWritten > to.bytesRead || (from.destroyed && !to.readableEnded);
}
