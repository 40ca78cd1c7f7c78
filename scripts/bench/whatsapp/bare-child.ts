import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { makeWASocket, type WASocket } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { at } from '../../../runtime/invariant.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { newAuth, trust } from '../../../test/network-peer/bare.ts';

const phones = process.argv.slice(2);
const sockets: WASocket[] = [];
trust(process.env['WHATSAPP_ROOT_KEY'] ?? '');

function logIn(phone: string, place: number): Promise<void> {
  const auth = newAuth();
  return new Promise((resolve) => {
    const open = (): void => {
      const socket = makeWASocket({ waWebSocketUrl: process.env['WHATSAPP_URL'] ?? '', auth, logger: pino({ level: 'silent' }) });
      sockets[place] = socket;
      socket.ev.on('connection.update', ({ qr, connection }) => {
        if (qr) process.send?.({ phone, qr });
        if (connection === 'open') resolve();
        if (connection === 'close') open();
      });
    };
    open();
  });
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify({ cpu: process.cpuUsage() }));
  json(request)
    .then((body) => {
      const [to, text] = [String(memberOf(body, 'chat_id')), String(memberOf(body, 'body'))];
      return at(sockets, Number(memberOf(body, 'place'))).sendMessage(to.includes('@') ? to : `${to}@s.whatsapp.net`, { text });
    })
    .then((sent) => {
      response.statusCode = 202;
      response.end(JSON.stringify({ id: sent?.key.id }));
    })
    .catch(() => response.writeHead(500).end());
}).listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
for (const [place, phone] of phones.entries()) await logIn(phone, place);
process.send?.({ url: `http://127.0.0.1:${addressOf(server).port}` });
