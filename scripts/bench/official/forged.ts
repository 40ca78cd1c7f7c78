import { report } from '../http/serve.ts';
import { startBare } from './bare.ts';
import { signatureOf } from './hooks.ts';
import { startReceiver } from './receiver.ts';

/** Arguments: `quick|full bare|gateway ascii|letters`. The load comes from another process. */
const [, who = 'gateway', text = 'ascii'] = process.argv.slice(2);
const BYTES = 64 * 1024;
/** Other letters than ASCII cost more, because the signature may cover their escaped form. */
const FORGED = text === 'ascii' ? 'x'.repeat(BYTES) : bytesOf('é'.repeat(BYTES / 2));
/** First digit of 401 and 429. 429 is returned after many forgeries from one address. */
const REFUSED = 4;

/** The load sends one byte for each character. */
function bytesOf(letters: string): string {
  return Buffer.from(letters).toString('latin1');
}

const { port, pathname } = new URL(who === 'bare' ? await startBare(401) : (await startReceiver()).url);
const headers = [
  `POST ${pathname} HTTP/1.1`,
  ...['Host: 127.0.0.1', 'Content-Type: application/json', `Content-Length: ${BYTES}`],
  `X-Hub-Signature-256: ${signatureOf('another secret', FORGED)}`,
];
const request = `${headers.join('\r\n')}\r\n\r\n${FORGED}`;
await report({ port: Number(port), requests: [request], status: REFUSED }, { warmUp: 1_000, answers: 1_000 });
