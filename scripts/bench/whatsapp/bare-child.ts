import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { makeWASocket } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { addressOf } from '../../../runtime/listening.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { newAuth, trust } from '../../../test/network-peer/bare.ts';

/** The library as it comes behind the least of HTTP servers, secrets in memory: what a gateway's price is held against. */
const auth = newAuth();
trust(process.env['WHATSAPP_ROOT_KEY'] ?? '');
let socket = open();

function open(): ReturnType<typeof makeWASocket> {
  const opened = makeWASocket({ waWebSocketUrl: process.env['WHATSAPP_URL'] ?? '', auth, logger: pino({ level: 'silent' }) });
  opened.ev.on('connection.update', ({ qr, connection }) => {
    if (qr) process.send?.({ qr });
    if (connection === 'open') process.send?.({ url: `http://127.0.0.1:${addressOf(server).port}` });
    if (connection === 'close') socket = open();
  });
  return opened;
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(JSON.stringify({ cpu: process.cpuUsage(), memory: process.memoryUsage() }));
  json(request)
    .then((body) => {
      const [chat_id, text] = [String(memberOf(body, 'chat_id')), String(memberOf(body, 'body'))];
      return socket.sendMessage(chat_id.includes('@') ? chat_id : `${chat_id}@s.whatsapp.net`, { text });
    })
    .then((sent) => {
      response.statusCode = 202;
      response.end(JSON.stringify({ id: sent?.key.id }));
    })
    .catch(() => response.writeHead(500).end());
}).listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
