import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { pause, systemClock } from '../../runtime/clock.ts';
import { addressOf } from '../../runtime/listening.ts';

const PORT = 9100;
const MAX_BYTES = 1_000_000;
const POLL_INTERVAL_MS = 1_000;

const USAGE = `npm run webhook-verify [-- --port 9100 --secret <secret> --gateway <url> --token <token>]

Receives webhooks on this machine, checks each signature and prints the events, until Ctrl-C.
With --token (an API key or a login's token, also TOKEN) it pulls the events from the gateway and posts them, signed, to its own
receiver: the gateway needs no change and no restart.
  --port      port of the receiver (9100; 0: any free one)
  --secret    the secret of the webhook (default: a new one)
  --gateway   address of the gateway (http://127.0.0.1:8080, also GATEWAY_URL)`;

interface Options {
  readonly port: number;
  readonly secret: string;
  readonly gateway: string;
  readonly token: string | null;
}

async function main(): Promise<void> {
  const options = optionsIn();
  if (options === null) return say(USAGE);
  const { secret, token } = options;
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    receive(request, response, secret, seen).catch((cause: Error) => {
      say(`✗ ${cause.message}`);
      response.destroy();
    });
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const { port } = addressOf(server);
  introduce(port, options);
  if (token !== null) await pullFrom(options, token, `http://127.0.0.1:${port}/`);
}

function optionsIn(): Options | null {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { port: text, secret: text, gateway: text, token: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return null;
  return {
    port: portIn(values.port ?? String(PORT)),
    secret: values.secret ?? randomBytes(24).toString('base64url'),
    gateway: values.gateway ?? process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080',
    token: values.token ?? (process.env['TOKEN'] || null),
  };
}

interface Pulled {
  readonly events: readonly { readonly id: string; readonly type: string }[];
  readonly next: string | null;
}

async function pullFrom({ gateway, secret }: Options, token: string, receiver: string): Promise<void> {
  let after = await latest(gateway, token);
  for (;;) {
    const { events, next } = await pulled(gateway, token, after);
    for (const event of events) await post(receiver, event, secret);
    if (next !== null) after = next;
    if (events.length === 0) await pause(systemClock, POLL_INTERVAL_MS);
  }
}

async function latest(gateway: string, token: string): Promise<string | null> {
  for (let after: string | null = null; ; ) {
    const { events, next } = await pulled(gateway, token, after);
    if (events.length === 0 || next === null) return next;
    after = next;
  }
}

async function pulled(gateway: string, token: string, after: string | null): Promise<Pulled> {
  const query = new URLSearchParams({ limit: '200', ...(after !== null && { after }) });
  const response = await fetch(`${gateway}/v1/events/pull?${query}`, { headers: { authorization: `Bearer ${token}` } }).catch(
    (cause: Error) => {
      throw new Error(`The gateway at ${gateway} does not answer: ${cause.message}. Set its address with --gateway.`);
    },
  );
  const body: Pulled & { readonly error?: string } = JSON.parse(await response.text());
  if (!response.ok) throw new Error(`The gateway refused the request (${response.status}): ${body.error ?? 'no reason'}`);
  return body;
}

async function post(receiver: string, event: Pulled['events'][number], secret: string): Promise<void> {
  const raw = Buffer.from(JSON.stringify(event));
  const headers = {
    'content-type': 'application/json',
    'x-webhook-event': event.type,
    'x-webhook-id': event.id,
    'x-webhook-signature': signatureOf(raw, secret),
  };
  await fetch(receiver, { method: 'POST', headers, body: raw });
}

async function receive(request: IncomingMessage, response: ServerResponse, secret: string, seen: Set<string>): Promise<void> {
  const raw = await rawBody(request);
  // Verifies the received bytes, because parsing and serializing the JSON would change them.
  const isGenuine = isSigned(raw, String(request.headers['x-webhook-signature'] ?? ''), secret);
  response.writeHead(isGenuine ? 204 : 401).end();
  if (!isGenuine) return say(`✗ refused: the signature does not match these ${raw.length} bytes and this secret`);
  const event = JSON.parse(raw.toString());
  say(`✓ ${event.type}  ${event.id}${seen.has(event.id) ? '  (seen before: a retry, ignore it)' : ''}`);
  say(`  ${JSON.stringify(event.data)}`);
  seen.add(event.id);
}

/** Returns `sha256=` and the HMAC-SHA256 of the raw body, in base64 (not in hex). */
const signatureOf = (raw: Buffer, secret: string): string => `sha256=${createHmac('sha256', secret).update(raw).digest('base64')}`;

function isSigned(raw: Buffer, given: string, secret: string): boolean {
  const [wanted, signature] = [Buffer.from(signatureOf(raw, secret)), Buffer.from(given)];
  return signature.length === wanted.length && timingSafeEqual(signature, wanted);
}

async function rawBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const piece: Buffer = chunk;
    size += piece.length;
    if (size > MAX_BYTES) throw new Error('the body is larger than 1 MB');
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}

function introduce(port: number, { gateway, secret, token }: Options): void {
  const webhook = JSON.stringify({ url: `http://127.0.0.1:${port}/`, secret, events: ['message.received', 'message.sent'] });
  say(`Receiving and verifying webhooks on http://127.0.0.1:${port}/ (Ctrl-C to stop)`);
  if (token !== null) return say(`Pulling the events of ${gateway} from now on; they are signed and delivered here.\n`);
  say(`
  At once            npm run webhook-verify -- --token $TOKEN
                     pulls the events of the gateway and delivers them here; the gateway needs no change

  As in production   EGRESS_ALLOW=127.0.0.1:${port} npm start
                     lets the gateway itself reach this machine; then
                     curl -X POST ${gateway}/v1/webhooks -H "Authorization: Bearer $TOKEN" \\
                          -H 'Content-Type: application/json' -d '${webhook}'
                     curl -X POST ${gateway}/v1/webhooks/<id of the answer>/test -H "Authorization: Bearer $TOKEN"

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
