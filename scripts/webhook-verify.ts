import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';

const PORT = 9100;
const MOST_BYTES = 1_000_000;

/**
 * `npm run webhook-verify [-- --port 9100 --secret <secret>]`: a receiver of webhooks on this machine that holds every signature against the
 * raw body and prints what it gets. It says how to point a webhook at it; ends with Ctrl-C.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: String(PORT) }, secret: { type: 'string' } } });
  const secret = values.secret ?? randomBytes(24).toString('base64url');
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    receive(request, response, secret, seen).catch((cause: Error) => {
      say(`✗ ${cause.message}`);
      response.destroy();
    });
  });
  server.listen(portIn(values.port), '127.0.0.1');
  await once(server, 'listening');
  introduce((server.address() as AddressInfo).port, secret);
}

async function receive(request: IncomingMessage, response: ServerResponse, secret: string, seen: Set<string>): Promise<void> {
  const raw = await rawBody(request);
  // Over the bytes as they came: parsing and writing JSON again would change them.
  const isGenuine = isSigned(raw, String(request.headers['x-webhook-signature'] ?? ''), secret);
  response.writeHead(isGenuine ? 204 : 401).end();
  if (!isGenuine) return say(`✗ refused: the signature is not that of these ${raw.length} bytes under this secret`);
  const event = JSON.parse(raw.toString());
  say(`✓ ${event.type}  ${event.id}${seen.has(event.id) ? '  (seen before: a retry, ignore it)' : ''}`);
  say(`  ${JSON.stringify(event.data)}`);
  seen.add(event.id);
}

/** spec.md part 6: `sha256=` and the base64 (not hex) HMAC-SHA256 of the raw body, compared in constant time. */
function isSigned(raw: Buffer, given: string, secret: string): boolean {
  const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('base64')}`);
  const signature = Buffer.from(given);
  return signature.length === wanted.length && timingSafeEqual(signature, wanted);
}

async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error('a body of more than 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function introduce(port: number, secret: string): void {
  const webhook = JSON.stringify({ url: `http://127.0.0.1:${port}/`, secret, events: ['message.received', 'message.sent'] });
  say(`Webhooks are received and verified on http://127.0.0.1:${port}/ (Ctrl-C ends it)

  1  let the gateway reach this machine     EGRESS_ALLOW=127.0.0.1:${port} npm start
  2  have events delivered here             curl -X POST http://127.0.0.1:8080/v1/webhooks -H "Authorization: Bearer $TOKEN" \\
                                                 -H 'Content-Type: application/json' -d '${webhook}'
  3  try it, with the id of the answer      curl -X POST http://127.0.0.1:8080/v1/webhooks/<id>/test -H "Authorization: Bearer $TOKEN"

The signature is base64, not hex: "sha256=" + base64(HMAC-SHA256(secret, raw body)).
`);
}

function portIn(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port must be a number from 0 to 65535, not "${text}".`);
  return port;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await main().catch((cause: Error) => {
  process.stderr.write(`${cause.message}\n`);
  process.exit(1);
});
