import { subscribe } from 'node:diagnostics_channel';
import { Server, Socket } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { memberOf } from '../shapes.ts';

interface Wire {
  client: Socket | null;
  server: Socket | null;
  isStuck: boolean;
}

const MAX_MS = 2_000;
/** Data usually arrives within this many ticks. Later ticks are paused to save CPU time. */
const QUICK_TURNS = 50;
const PAUSE_MS = 1;
const wires = new Map<string, Wire>();
const ports = new Set<number>();

subscribe('net.client.socket', (message) => {
  const socket = memberOf(message, 'socket');
  if (!(socket instanceof Socket)) return;
  socket.once('connect', () => {
    if (ports.has(socket.remotePort ?? 0)) add(`${socket.localPort} ${socket.remotePort}`, 'client', socket);
  });
});

subscribe('net.server.socket', (message) => {
  const socket = memberOf(message, 'socket');
  if (socket instanceof Socket) add(`${socket.remotePort} ${socket.localPort}`, 'server', socket);
});

subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  const server = memberOf(message, 'server');
  const address = server instanceof Server ? server.address() : null;
  if (!(server instanceof Server) || address === null || typeof address === 'string') return;
  ports.add(address.port);
  server.once('close', () => ports.delete(address.port));
});

function add(name: string, end: 'client' | 'server', socket: Socket): void {
  const wire = wires.get(name) ?? { client: null, server: null, isStuck: false };
  wire[end] = socket;
  wires.set(name, wire);
  socket.once('close', () => {
    if (wires.get(name) === wire && wire.client?.closed !== false && wire.server?.closed !== false) wires.delete(name);
  });
}

/** Waits for data in transit between sockets of this process. Returns false if there was none. */
export async function arrived(turn: () => Promise<void>): Promise<boolean> {
  let moving = onTheWay();
  if (moving.length === 0) return false;
  const since = performance.now();
  for (let turns = 0; moving.length > 0 && performance.now() - since < MAX_MS; turns += 1) {
    if (turns >= QUICK_TURNS) await later(PAUSE_MS);
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
  return bytesOf(from).bytesWritten > bytesOf(to).bytesRead || (from.destroyed && !to.readableEnded);
}

interface Bytes {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/**
 * Counts bytes on the connection below TLS, because TLS sockets count decrypted bytes on a client
 * but encrypted bytes on a server.
 */
function bytesOf(socket: Socket): Bytes {
  const connection = socket instanceof TLSSocket ? memberOf(memberOf(socket, '_handle'), '_parent') : null;
  const [bytesRead, bytesWritten] = [memberOf(connection, 'bytesRead'), memberOf(connection, 'bytesWritten')];
  return typeof bytesRead === 'number' && typeof bytesWritten === 'number' ? { bytesRead, bytesWritten } : socket;
}
