import { systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { hookOf, signatureOf } from './hooks.ts';
import { startReceiver, wait } from './receiver.ts';

/** The argument is `quick` or `full`. Sends webhooks of 1,000 updates, at 300 updates a second. */
const count = process.argv[2] === 'quick' ? 3 : 200;
const BETWEEN_MS = process.argv[2] === 'quick' ? 0 : 1_000 / 0.3;

const receiver = await startReceiver();
const times: number[] = [];
const began = systemClock.monotonic();
const cpu = process.cpuUsage();
for (let nth = 0; nth < count; nth += 1) {
  await wait(Math.max(0, began + nth * BETWEEN_MS - systemClock.monotonic()));
  const body = hookOf(receiver, nth, systemClock.now());
  const headers = { 'x-hub-signature-256': signatureOf(receiver.secret, body) };
  const sentAt = systemClock.monotonic();
  const answer = await fetch(receiver.url, { method: 'POST', body, headers });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  times.push(systemClock.monotonic() - sentAt);
}
await receiver.read();
const { user, system } = process.cpuUsage(cpu);
const sorted = times.toSorted((one, other) => one - other);
const percentile = (share: number): number => at(sorted, Math.ceil(sorted.length * share) - 1);
console.log(JSON.stringify({ p50: percentile(0.5), p99: percentile(0.99), cpuUs: (user + system) / count / 1_000 }));
process.exit(0);
