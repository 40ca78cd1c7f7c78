import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../../../runtime/ids.ts';
import { present } from '../../../runtime/invariant.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { CLIENTS, FILLING, report } from './measure.ts';

/** Upper bound: each event is framed once and written to every socket. */
const sockets: Socket[] = [];
const server = createServer((_asked, answer) => {
  answer.removeHeader('Transfer-Encoding');
  answer.writeHead(200, { 'Content-Type': 'text/event-stream', Connection: 'close' });
  answer.flushHeaders();
  sockets.push(present(answer.socket, 'the socket of an answer'));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const frame = (): Buffer => {
  const id = `evt_${newId(1_767_225_600_000)}`;
  const type = 'scheduled.sent';
  const data = { scheduled_id: 'bench', message_id: FILLING };
  const body = { id, type, session_id: null, occurred_at: 1_767_225_600_000, data };
  return Buffer.from(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(body)}\n\n`);
};

await report({
  port: addressOf(server).port,
  paths: Array.from({ length: CLIENTS }, () => '/'),
  frameBytes: frame().length,
  say() {
    const bytes = frame();
    for (const socket of sockets) socket.write(bytes);
  },
});
