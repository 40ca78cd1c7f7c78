import { randomInt } from 'node:crypto';
import { pause, systemClock } from '../../runtime/clock.ts';

export const BASE = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';

export const aNumber = (range: string): string => `${range}${randomInt(10_000_000, 99_999_999)}`;

export interface Json {
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes, which the server checks against schemas
  readonly [field: string]: any;
}

export async function ready(): Promise<void> {
  const answer = await fetch(`${BASE}/ready`).catch(() => null);
  if (!answer) throw new Error(`No gateway answers at ${BASE}. Start the gateway first (npm start), or set GATEWAY_URL.`);
  if (!answer.ok) throw new Error(`The gateway is not ready: ${await answer.text()}`);
  const admitted = await fetch(`${BASE}/sandbox/phones/${aNumber('62812')}/messages`);
  if (!admitted.ok) throw new Error('This gateway is not on the in-process sandbox network; the tour needs it.');
}

/** If `aloud` is set, prints the call, and throws an error if the response is an error. */
export async function call(
  method: string,
  path: string,
  body?: unknown,
  bearer?: string,
  voice: 'aloud' | 'quiet' = 'aloud',
): Promise<Json> {
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
export const say = (words: string): void => void process.stdout.write(`${words}\n`);
export const chapter = (title: string): void => say(`\n${title}`);

export async function until(what: string, ask: () => Promise<Json>, is: (answer: Json) => boolean): Promise<Json> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await ask();
    if (is(answer)) {
      say(`  … ${what}`);
      return answer;
    }
    await pause(systemClock, 50);
  }
  throw new Error(`Timed out after ten seconds: ${what}.`);
}

export async function signsUp(name: string, owner: string): Promise<string> {
  chapter('A business signs up');
  await call('POST', '/auth/register', { name, phone: `+${owner}` });
  say('The platform sends a one-time code to that phone. The phone shows:');
  const [note] = (await call('GET', `/sandbox/phones/${owner}/messages`)).messages;
  const code = /\d{6}/.exec(String(note?.body))?.[0];
  const { token } = await call('POST', '/auth/verify-otp', { phone: `+${owner}`, code });
  return String(token);
}

export async function linksPhone(phone: string, bearer: string): Promise<string> {
  chapter('It links a phone');
  const { id } = await call('POST', '/v1/sessions', { name: 'Front desk' }, bearer);
  const session = `/v1/sessions/${id}`;
  await call('POST', `${session}/connect`, undefined, bearer);
  const { qr } = await until(
    'a code is ready',
    () => call('GET', `${session}/qr`, undefined, bearer, 'quiet'),
    ({ qr }) => typeof qr === 'string',
  );
  say('The owner scans the code with the phone:');
  await call('POST', `/sandbox/phones/${phone}/scan`, { qr });
  await until(
    'the device is online',
    () => call('GET', session, undefined, bearer, 'quiet'),
    ({ status }) => status === 'connected',
  );
  return String(id);
}

export async function playing(story: () => Promise<void>): Promise<void> {
  await story().catch((cause: Error) => {
    process.stderr.write(`${cause.message}\n`);
    process.exitCode = 1;
  });
}
