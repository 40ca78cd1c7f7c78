import { once } from 'node:events';
import { createServer } from 'node:http';
import { chromium, type Page } from 'playwright-core';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { type Call, callerOf, expected } from '../../faults/caller.ts';
import { percentile } from '../console/business.ts';
import { paintedAt } from '../console/painted.ts';
import { FIRST_PHONE } from '../whole/linked-node.ts';

/**
 * Everyone outside the gateway, in one process: callers who send at a fixed rate whether or not earlier calls have been
 * answered, people who write to the devices, a receiver of webhooks, and a person in front of an open chat.
 */
export interface Scene {
  readonly url: string;
  readonly networkUrl: string;
  readonly key: string;
  readonly owner: string;
  readonly devices: readonly string[];
}

export interface LoadOrder {
  readonly sendsPerSecond: number;
  readonly seconds: number;
  readonly isWatched: boolean;
}

/** Times are in ms. `due` is the time at which a call had to be made. */
export interface LoadReport {
  readonly acceptP99: number;
  readonly webhookP99: number;
  readonly paintedP99: number;
  readonly sent: readonly (readonly [device: string, id: string, due: number])[];
}

/** One in this many messages is written by a person. */
const INBOUND_SHARE = 5;
const SLICE_MS = 5;
const PAINT_EVERY_MS = 250;
const PATIENCE_MS = 60_000;
const WATCHED_PERSON = '6281211110001';

const wroteAt = new Map<string, number>();
const arrivals: number[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { body } = JSON.parse(Buffer.concat(chunks).toString()).data;
    const since = wroteAt.get(body);
    if (since !== undefined && wroteAt.delete(body)) arrivals.push(systemClock.now() - since);
    response.end();
  });
});
receiver.keepAliveTimeout = PATIENCE_MS;
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');

let scene: Scene;
let [api, network]: [Call, Call] = [never, never];
let page: Page;
process.on('disconnect', () => process.exit());
process.on('message', (said: Scene | LoadOrder) => void ('url' in said ? open(said) : run(said)).then((report) => process.send?.(report)));
process.send?.(`127.0.0.1:${addressOf(receiver).port}`);

function never(): never {
  throw new Error('the scene is missing');
}

async function open(given: Scene): Promise<'open'> {
  scene = given;
  api = callerOf(scene.url, { authorization: `Bearer ${scene.key}` }, { withinMs: PATIENCE_MS, connections: 256 });
  network = callerOf(scene.networkUrl, {}, { withinMs: PATIENCE_MS, connections: 64 });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  page = await (await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en-US' })).newPage();
  const by = (id: string) => page.getByTestId(id);
  await page.goto(`${scene.url}/console/sign-in`);
  await by('sign-in-phone').fill(`+${scene.owner}`);
  await by('sign-in-submit').click();
  await by('sign-in-code').fill(await codeOf(scene.owner));
  await by('sign-in-submit').click();
  await page.waitForURL(`${scene.url}/console/`);
  await write(WATCHED_PERSON, 0, 'Hello');
  await page.goto(`${scene.url}/console/inbox`);
  await by('chat-row').first().click();
  await by('message-row').first().waitFor();
  await page.locator('[data-testid="live"][data-state="live"]').waitFor();
  return 'open';
}

async function codeOf(phone: string): Promise<string> {
  for (;;) {
    const { body } = await network('GET', `/sandbox/phones/${phone}/messages`);
    const [code] = /\b\d{6}\b/.exec(JSON.stringify(body)) ?? [];
    if (code) return code;
    await pause(systemClock, 100);
  }
}

async function run({ sendsPerSecond, seconds, isWatched }: LoadOrder): Promise<LoadReport> {
  const [accepts, sent, pending]: [number[], [string, string, number][], Promise<void>[]] = [[], [], []];
  arrivals.length = 0;
  const began = systemClock.now();
  const [send, receive] = [paced(sendsPerSecond), paced(sendsPerSecond / INBOUND_SHARE)];
  const paints = isWatched ? watch(began + seconds * 1_000) : Promise.resolve([]);
  for (let passed = 0; passed < seconds * 1_000; passed = systemClock.now() - began) {
    for (const due of send(began, passed)) pending.push(text(pending.length, due));
    for (const due of receive(began, passed)) pending.push(inbound(due));
    await pause(systemClock, SLICE_MS);
  }
  await Promise.all(pending);
  const painted = await paints;
  for (const endsAt = systemClock.now() + PATIENCE_MS; wroteAt.size > 0; await pause(systemClock, SLICE_MS))
    if (systemClock.now() > endsAt) throw new Error(`${wroteAt.size} webhooks did not arrive`);
  return { acceptP99: p99(accepts), webhookP99: p99(arrivals), paintedP99: p99(painted), sent };

  async function text(nth: number, due: number): Promise<void> {
    const body = { chat_id: `+62812${1_000_000 + (nth % 1_000)}`, type: 'text', body: 'Your order is on its way.' };
    const device = at(scene.devices, nth % scene.devices.length);
    const { id } = expected(await api('POST', `/v1/sessions/${device}/messages`, body), 202);
    accepts.push(systemClock.now() - due);
    sent.push([device, id, due]);
  }
}

let written = 0;
async function inbound(due: number): Promise<void> {
  written += 1;
  const body = `Is it still there? ${written}`;
  wroteAt.set(body, due);
  await write(String(6_281_500_000_000 + (written % 1_000)), written % scene.devices.length, body);
}

async function watch(endsAt: number): Promise<readonly number[]> {
  const took: number[] = [];
  while (systemClock.now() < endsAt) {
    const text = `bench message no. ${took.length} at ${systemClock.now()}.`;
    const painted = paintedAt(page, text);
    const wrote = systemClock.now();
    await write(WATCHED_PERSON, 0, text);
    took.push((await painted) - wrote);
    await pause(systemClock, PAINT_EVERY_MS);
  }
  return took;
}

async function write(from: string, device: number, body: string): Promise<void> {
  const to = String(FIRST_PHONE + device);
  expected(await network('POST', `/sandbox/phones/${from}/messages`, { to, body }), 200, 201, 202, 204);
}

/** Returns a function that yields the times at which calls became due since it was called last. */
function paced(perSecond: number): (began: number, passed: number) => Iterable<number> {
  let count = 0;
  return function* due(began, passed) {
    for (; count < (passed / 1_000) * perSecond; count += 1) yield began + (count / perSecond) * 1_000;
  };
}

const p99 = (values: readonly number[]): number => percentile(values, 0.99);
