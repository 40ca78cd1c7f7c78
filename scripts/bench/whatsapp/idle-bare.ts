import '../../../test/network-peer/silent-logger.ts';
import { join } from 'node:path';
import { makeWASocket, useMultiFileAuthState, type WASocket } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { trust } from '../../../test/network-peer/bare.ts';

const [directory = '', ...phones] = process.argv.slice(2);
trust(process.env['WHATSAPP_ROOT_KEY'] ?? '');
const sockets: WASocket[] = [];

async function logIn(phone: string): Promise<void> {
  const { state, saveCreds } = await useMultiFileAuthState(join(directory, phone));
  await new Promise<void>((resolve) => {
    const open = (): void => {
      const url = process.env['WHATSAPP_URL'] ?? '';
      const socket = makeWASocket({ waWebSocketUrl: url, auth: state, logger: pino({ level: 'silent' }) });
      socket.ev.on('creds.update', saveCreds);
      socket.ev.on('connection.update', ({ qr, connection }) => {
        if (qr) process.send?.({ phone, qr });
        if (connection === 'close') open();
        if (connection !== 'open') return;
        sockets.push(socket);
        resolve();
      });
    };
    open();
  });
}

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed + external, rss });
});
process.on('disconnect', () => process.exit(0));
for (const phone of phones) await logIn(phone);
process.send?.({ online: sockets.length });
