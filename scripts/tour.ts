import { randomInt } from 'node:crypto';
import { pause, systemClock } from '../runtime/clock.ts';

/** `npm run tour`: the first story, played against a running gateway on the sandbox network, each request shown as it goes. */

const BASE = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';
const OWNER = `62812${randomInt(10_000_000, 99_999_999)}`;
const SHOP = `62813${randomInt(10_000_000, 99_999_999)}`;
const ANNA = `62814${randomInt(10_000_000, 99_999_999)}`;

interface Json {
  readonly [field: string]: unknown;
}

async function play(): Promise<void> {
  say(`A tour of the gateway at ${BASE}. Nothing here leaves this machine: the phones are the sandbox network's.`);
  await ready();

  chapter('A business signs up');
  await call('POST', '/auth/register', { name: 'Toko Acme', phone: `+${OWNER}` });
  say('The platform sends a one-time code to that phone. This is what the phone shows:');
  const [note] = (await call('GET', `/sandbox/phones/${OWNER}/messages`)).messages as Json[];
  const code = /\d{6}/.exec(String(note?.body))?.[0];
  const login = await call('POST', '/auth/verify-otp', { phone: `+${OWNER}`, code });
  const bearer = String(login.token);

  chapter('It links a phone');
  const { id } = await call('POST', '/v1/sessions', { name: 'Front desk' }, bearer);
  const session = `/v1/sessions/${id}`;
  await call('POST', `${session}/connect`, undefined, bearer);
  const { qr } = await until(
    'a code is ready',
    () => call('GET', `${session}/qr`, undefined, bearer, 'quiet'),
    ({ qr }) => typeof qr === 'string',
  );
  say('Somebody holds the phone before the code:');
  await call('POST', `/sandbox/phones/${SHOP}/scan`, { qr });
  await until(
    'the device is online',
    () => call('GET', session, undefined, bearer, 'quiet'),
    ({ status }) => status === 'connected',
  );

  chapter('It makes a key for its software, and sends with it');
  const { key } = await call('POST', '/v1/api-keys', { name: 'Web shop', scopes: ['read', 'send'] }, bearer);
  const sent = await call(
    'POST',
    `${session}/messages`,
    { chat_id: `+${ANNA}`, type: 'text', body: 'Hello Anna, your order is ready.' },
    String(key),
  );
  await until(
    'Anna has read it',
    () => call('GET', `${session}/messages/${sent.id}`, undefined, bearer, 'quiet'),
    ({ status }) => status === 'read',
  );
  say("Anna's phone shows:");
  await call('GET', `/sandbox/phones/${ANNA}/messages`);

  chapter('Anna answers');
  await call('POST', `/sandbox/phones/${ANNA}/messages`, { to: SHOP, body: 'Thank you! I come at five.' });
  const inbound = `${session}/messages?direction=inbound`;
  await until(
    'it is in the log',
    () => call('GET', inbound, undefined, bearer, 'quiet'),
    ({ messages }) => (messages as unknown[]).length > 0,
  );
  await call('GET', inbound, undefined, bearer);

  say(`\nThat is the whole round. The reference of everything else: ${BASE}/docs`);
}

async function ready(): Promise<void> {
  const answer = await fetch(`${BASE}/ready`).catch(() => null);
  if (!answer) throw new Error(`Nobody listens at ${BASE}. Start the gateway first (npm start), or set GATEWAY_URL.`);
  if (!answer.ok) throw new Error(`The gateway is not ready: ${await answer.text()}`);
  const admitted = await fetch(`${BASE}/sandbox/phones/${OWNER}/messages`);
  if (!admitted.ok) throw new Error('This gateway is not on the in-process sandbox network; the tour needs it.');
}

async function call(method: string, path: string, body?: unknown, bearer?: string, voice: 'aloud' | 'quiet' = 'aloud'): Promise<Json> {
  const response = await fetch(`${BASE}${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (voice === 'aloud') show(method, path, body, response.status, text);
  if (voice === 'aloud' && !response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
  return JSON.parse(text);
}

function show(method: string, path: string, body: unknown, status: number, text: string): void {
  const lines = [
    `  > ${method} ${path}`,
    ...(body === undefined ? [] : [`    ${JSON.stringify(body)}`]),
    `  < ${status} ${shortened(text)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

const shortened = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
const say = (words: string): void => void process.stdout.write(`${words}\n`);
const chapter = (title: string): void => say(`\n${title}`);

async function until(what: string, ask: () => Promise<Json>, is: (answer: Json) => boolean): Promise<Json> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await ask();
    if (is(answer)) {
      say(`  … ${what}`);
      return answer;
    }
    await pause(systemClock, 50);
  }
  throw new Error(`This did not happen within ten seconds: ${what}.`);
}

await play().catch((cause: Error) => {
  process.stderr.write(`${cause.message}\n`);
  process.exitCode = 1;
});
