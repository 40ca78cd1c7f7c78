import '../../../test/network-peer/silent-logger.ts';
import { appendFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pino } from 'pino';
import { Failpoint } from './failpoint.ts';
import { watchFrames } from './frames.ts';

const failpoint = new Failpoint();
const directory = process.env['DATA_DIR'] ?? '';

function watchFiles(): void {
  const { writeFile } = files;
  files.writeFile = (...given: Parameters<typeof writeFile>) => failpoint.around(['secrets'], () => writeFile(...given));
  syncBuiltinESMExports();
}

/** Sends the messages that its parent requests (`{to, text}`), and appends received texts to a file. */
async function main(): Promise<void> {
  watchFiles();
  watchFrames(failpoint);
  const { makeWASocket, useMultiFileAuthState } = await import('@whiskeysockets/baileys');
  const { trust } = await import('../../../test/network-peer/bare.ts');
  trust(process.env['WHATSAPP_ROOT_KEY'] ?? '');
  const { state, saveCreds } = await useMultiFileAuthState(join(directory, 'auth'));
  const open = (): ReturnType<typeof makeWASocket> => {
    const socket = makeWASocket({ waWebSocketUrl: process.env['WHATSAPP_URL'] ?? '', auth: state, logger: pino({ level: 'silent' }) });
    socket.ev.on('creds.update', saveCreds);
    socket.ev.on('connection.update', ({ qr, connection }) => {
      if (qr) process.send?.({ qr });
      if (connection === 'open') process.send?.({ url: 'open' });
      if (connection === 'close') sender = open();
    });
    socket.ev.on('messages.upsert', ({ messages }) => {
      for (const { key, message } of messages) {
        const text = message?.conversation ?? message?.extendedTextMessage?.text;
        if (text && !key.fromMe) appendFileSync(join(directory, 'received'), `${text}\n`);
      }
    });
    return socket;
  };
  let sender = open();
  process.on('message', (order: string | { to: string; text: string }) => {
    if (typeof order === 'string') return failpoint.arm(order);
    const { to, text } = order;
    sender.sendMessage(`${to}@s.whatsapp.net`, { text }).then(
      () => process.send?.({ answered: text }),
      () => {},
    );
  });
  process.on('disconnect', () => process.exit(1));
}

await main();
