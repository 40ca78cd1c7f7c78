import { once } from 'node:events';
import { createServer } from 'node:http';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { addressOf } from '../../../runtime/listening.ts';
import { callerOf, expected } from '../../faults/caller.ts';

export interface PacedOrder {
  readonly url: string;
  readonly key: string;
  readonly devices: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

export interface AgesReport {
  readonly p50: number;
  readonly p99: number;
  readonly sends: number;
  readonly deliveries: number;
}

const SLICE_MS = 20;
const QUIET_MS = 3_000;

const ages: number[] = [];
let lastAt = 0;
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { occurred_at } = JSON.parse(Buffer.concat(chunks).toString());
    lastAt = systemClock.monotonic();
    ages.push(systemClock.now() - occurred_at);
    response.end();
  });
});
receiver.keepAliveTimeout = 60_000;
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
process.on('disconnect', () => process.exit());
process.on('message', (order: PacedOrder) => void run(order).then((report) => process.send?.(report)));
process.send?.(`127.0.0.1:${addressOf(receiver).port}`);

async function run({ url, key, devices, perSecond, seconds }: PacedOrder): Promise<AgesReport> {
  const api = callerOf(url, { authorization: `Bearer ${key}` }, { withinMs: 120_000 });
  const began = systemClock.monotonic();
  const sent: Promise<unknown>[] = [];
  for (let passed = 0; passed < seconds * 1_000; passed = systemClock.monotonic() - began) {
    for (const due = (passed / 1_000) * perSecond; sent.length < due; ) sent.push(send(sent.length));
    await pause(systemClock, SLICE_MS);
  }
  await Promise.all(sent);
  lastAt = systemClock.monotonic();
  while (systemClock.monotonic() - lastAt < QUIET_MS) await pause(systemClock, SLICE_MS);
  const sorted = ages.toSorted((a, b) => a - b);
  const quantile = (q: number): number => sorted[Math.floor(sorted.length * q)] ?? Number.NaN;
  return { p50: quantile(0.5), p99: quantile(0.99), sends: sent.length, deliveries: ages.length };

  async function send(nth: number): Promise<void> {
    const body = { chat_id: `+62812${1_000_000 + (nth % 1_000)}`, type: 'text', body: 'Your order is on its way.' };
    expected(await api('POST', `/v1/sessions/${at(devices, nth % devices.length)}/messages`, body), 202);
  }
}
