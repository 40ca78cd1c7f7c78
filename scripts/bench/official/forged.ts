import { createHmac } from 'node:crypto';
import hapi from '@hapi/hapi';
import { report } from '../http/serve.ts';
import { signatureOf } from './hooks.ts';
import { startReceiver } from './receiver.ts';

/** Arguments: `quick|full bare|gateway`. The load comes from another process. */
const [, who = 'gateway'] = process.argv.slice(2);
const FORGED = 'x'.repeat(64 * 1024);
/** First digit of 401 and 429. 429 is returned after many forgeries from one address. */
const REFUSED = 4;

/** Lower bound: reads the body and computes its signature. */
async function startBare(): Promise<string> {
  const server = hapi.server({ host: '127.0.0.1', port: 0, debug: false });
  server.route({
    method: 'POST',
    path: '/',
    options: { payload: { parse: false, output: 'data' } },
    handler({ payload }, h) {
      const hmac = createHmac('sha256', 'secret').update(Buffer.isBuffer(payload) ? payload : '');
      return h.response(hmac.digest('hex')).code(401);
    },
  });
  await server.start();
  return server.info.uri;
}

const { port, pathname } = new URL(who === 'bare' ? await startBare() : (await startReceiver()).url);
const headers = [
  `POST ${pathname} HTTP/1.1`,
  ...['Host: 127.0.0.1', 'Content-Type: application/json', `Content-Length: ${FORGED.length}`],
  `X-Hub-Signature-256: ${signatureOf('another secret', FORGED)}`,
];
const request = `${headers.join('\r\n')}\r\n\r\n${FORGED}`;
await report({ port: Number(port), requests: [request], status: REFUSED }, { warmUp: 1_000, answers: 1_000 });
