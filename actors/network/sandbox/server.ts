import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { passkeysOf } from '../passkey.ts';
import type { Connection, Network, WhyNot } from '../port.ts';
import type { Sandbox } from './sandbox.ts';
import { type NodeFrame, PROTOCOL, type Question, type SandboxFrame, Wire } from './wire.ts';

/** Each upgraded connection carries one node's logins. If it closes, these logins close, too. */
export function attachSandboxConnections(server: Server, sandbox: Sandbox): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade !== PROTOCOL) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    carryConnections(socket, sandbox.network());
  });
}

export interface SandboxServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves logins on a loopback port, without the HTTP API. */
export async function serveSandbox(sandbox: Sandbox, port = 0): Promise<SandboxServer> {
  const sockets = new Set<Duplex>();
  const server = createServer((_request, response) => void response.writeHead(404).end());
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  attachSandboxConnections(server, sandbox);
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${addressOf(server).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function carryConnections(socket: Duplex, network: Network): void {
  const link: NodeLink = { network, connections: new Map(), asked: new Map(), asks: 0, write: (answer) => wire.write(answer) };
  const wire = new Wire<NodeFrame, SandboxFrame>(socket, {
    onFrame: (frame) => take(frame, link),
    onEnd: () => void network.shutdown(),
    waitsForReader: true,
  });
}

interface NodeLink {
  readonly network: Network;
  readonly connections: Map<number, Connection>;
  readonly asked: Map<number, { readonly connection: number; answer(reason: string | null | undefined): void }>;
  asks: number;
  write(frame: SandboxFrame): void;
}

function take(frame: NodeFrame, link: NodeLink): void {
  const connection = link.connections.get(frame.connection);
  switch (frame.do) {
    case 'open':
      return open(frame, link);
    case 'send':
      return connection?.send(frame.message);
    case 'react':
      return connection?.react(frame.reaction);
    case 'edit':
      return connection?.edit(frame.edit);
    case 'erase':
      return connection?.erase(frame.erasure);
    case 'markRead':
      return connection?.markRead(frame.chat, frame.messages);
    case 'presence':
      return connection?.presence(frame.chat, frame.state);
    case 'acknowledge':
      return connection?.acknowledge(frame.token);
    case 'close':
      return connection?.close();
    case 'because':
      return because(link, frame.ask, frame.reason);
    case 'ask':
      return void answer(frame, connection, link);
    default:
      unreachable(frame);
  }
}

function open({ connection, order }: Extract<NodeFrame, { do: 'open' }>, link: NodeLink): void {
  const { network, connections, asked, write } = link;
  const whyNot: WhyNot = (netId, facts) => {
    link.asks += 1;
    write({ do: 'whyNot', connection, ask: link.asks, netId, facts });
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    asked.set(link.asks, { connection, answer: (reason) => (reason === undefined ? reject(new Error('no answer')) : resolve(reason)) });
    return promise;
  };
  const receive = network.open({ ...order, whyNot }, (event) => {
    if (event.type === 'closed') {
      connections.delete(connection);
      for (const [ask, one] of asked) if (one.connection === connection) because(link, ask, undefined);
    }
    write({ do: 'receive', connection, event });
  });
  connections.set(connection, receive);
}

function because({ asked }: NodeLink, ask: number, reason: string | null | undefined): void {
  asked.get(ask)?.answer(reason);
  asked.delete(ask);
}

async function answer(frame: Extract<NodeFrame, { do: 'ask' }>, connection: Connection | undefined, { write }: NodeLink): Promise<void> {
  try {
    if (!connection) throw new Refusal('NOT_CONNECTED');
    write({ do: 'answer', ask: frame.ask, value: await put(frame, connection) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    write({ do: 'refuse', ask: frame.ask, code: error.code, details: error.details });
  }
}

async function put(question: Question, connection: Connection): Promise<unknown> {
  switch (question.what) {
    case 'pairingCode':
      return connection.pairingCode(question.digits);
    case 'answerPasskey':
      await passkeysOf(connection).answerPasskey(question.credential);
      return null;
    case 'confirmPasskey':
      await passkeysOf(connection).confirmPasskey();
      return null;
    case 'lookUp':
      return connection.lookUp(question.digits);
    case 'question':
      return connection.ask?.(question.question.name, question.question.input);
    case 'logOut':
      await connection.logOut();
      return null;
    default:
      return unreachable(question);
  }
}
