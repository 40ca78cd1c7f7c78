import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { unreachable } from '../../../runtime/behaviour.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { passkeysOf } from '../passkey.ts';
import type { Line, Network } from '../port.ts';
import type { Sandbox } from './sandbox.ts';
import { type Answer, type NodeFrame, PROTOCOL, type Question, type SandboxFrame, Wire } from './wire.ts';

/**
 * Lets nodes in other processes use this sandbox through `connectSandbox`: each connection that upgrades to `sandbox-line` carries one
 * node's lines. When it drops, they are logged out. Other upgrades are refused.
 */
export function attachSandboxLines(server: Server, sandbox: Sandbox): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade !== PROTOCOL) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${PROTOCOL}\r\n\r\n`);
    if (head.length > 0) socket.unshift(head);
    carryLines(socket, sandbox.network());
  });
}

export interface SandboxServer {
  readonly url: string;
  /** Cuts every connection and stops listening. */
  close(): Promise<void>;
}

/** The lines of a sandbox on a loopback port of their own, without the HTTP API. `port` 0 takes a free one. */
export async function serveSandbox(sandbox: Sandbox, port = 0): Promise<SandboxServer> {
  const sockets = new Set<Duplex>();
  const server = createServer((_request, response) => void response.writeHead(404).end());
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  attachSandboxLines(server, sandbox);
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const portOf = (address: AddressInfo | string | null): number => (typeof address === 'object' && address ? address.port : 0);

function carryLines(socket: Duplex, network: Network): void {
  const lines = new Map<number, Line>();
  const wire = new Wire<NodeFrame, SandboxFrame>(socket, {
    onFrame: (frame) => take(frame, { network, lines, write: (answer) => wire.write(answer) }),
    onEnd: () => void network.shutdown(),
    waitsForReader: true,
  });
}

interface Connection {
  readonly network: Network;
  readonly lines: Map<number, Line>;
  write(frame: SandboxFrame): void;
}

function take(frame: NodeFrame, connection: Connection): void {
  const line = connection.lines.get(frame.line);
  switch (frame.do) {
    case 'open':
      return open(frame, connection);
    case 'send':
      return line?.send(frame.message);
    case 'react':
      return line?.react(frame.reaction);
    case 'edit':
      return line?.edit(frame.edit);
    case 'erase':
      return line?.erase(frame.erasure);
    case 'markRead':
      return line?.markRead(frame.chat, frame.messages);
    case 'presence':
      return line?.presence(frame.chat, frame.state);
    case 'acknowledge':
      return line?.acknowledge(frame.token);
    case 'close':
      return line?.close();
    case 'ask':
      return void answer(frame, line, connection);
    default:
      unreachable(frame);
  }
}

function open({ line, order }: Extract<NodeFrame, { do: 'open' }>, { network, lines, write }: Connection): void {
  const hear = network.open(order, (event) => {
    if (event.type === 'closed') lines.delete(line);
    write({ do: 'hear', line, event });
  });
  lines.set(line, hear);
}

async function answer(frame: Extract<NodeFrame, { do: 'ask' }>, line: Line | undefined, { write }: Connection): Promise<void> {
  try {
    if (!line) throw new Refusal('NOT_CONNECTED');
    write({ do: 'answer', ask: frame.ask, value: await put(frame, line) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    write({ do: 'refuse', ask: frame.ask, code: error.code, details: error.details });
  }
}

async function put(question: Question, line: Line): Promise<Answer> {
  switch (question.what) {
    case 'pairingCode':
      return line.pairingCode(question.digits);
    case 'answerPasskey':
      await passkeysOf(line).answerPasskey(question.credential);
      return null;
    case 'confirmPasskey':
      await passkeysOf(line).confirmPasskey();
      return null;
    case 'lookUp':
      return line.lookUp(question.digits);
    case 'logOut':
      await line.logOut();
      return null;
    default:
      return unreachable(question);
  }
}
