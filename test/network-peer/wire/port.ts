import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** The address at which clients connect. It can close and open again at the same address. */
export interface Port {
  readonly url: string;
  /** Refuses new connections from now on. */
  close(): Promise<void>;
  open(): Promise<void>;
}

export async function openPort(called: (socket: WebSocket, request: IncomingMessage) => void): Promise<Port> {
  let server = await listen(0, called);
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}`,
    close: () => new Promise((done) => server.close(() => done())),
    open: async () => {
      server = await listen(port, called);
    },
  };
}

async function listen(port: number, called: (socket: WebSocket, request: IncomingMessage) => void): Promise<WebSocketServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port, perMessageDeflate: false });
  await new Promise((done, failed) => server.once('listening', done).once('error', failed));
  server.on('connection', called);
  return server;
}
