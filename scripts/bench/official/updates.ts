import { systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import { startBare } from './bare.ts';
import { hookOf, signatureOf } from './hooks.ts';
import { startReceiver, wait } from './receiver.ts';

/**
 * The argument is `quick` or `full`. Sends webhooks of 1,000 updates, at 300 updates a second. Between two webhooks,
 * the same bytes go to the bare route, which shows what the machine and the client cost at that time.
 */
const count = process.argv[2] === 'quick' ? 3 : 200;
const BETWEEN_MS = process.argv[2] === 'quick' ? 0 : 1_000 / 0.3;
const OK = 200;
const AGAIN_MS = 1_000;

const receiver = await startReceiver();
const bare = await startBare(OK);
const times: number[] = [];
const bareTimes: number[] = [];
let refused = 0;

/** Returns the time until the answer in ms. Webhooks that are not accepted are sent again, as the platform does. */
async function timed(url: string, body: string): Promise<number> {
  const headers = { 'x-hub-signature-256': signatureOf(receiver.secret, body) };
  const sentAt = systemClock.monotonic();
  const answer = await fetch(url, { method: 'POST', body, headers });
  await answer.text();
  if (answer.status === OK) return systemClock.monotonic() - sentAt;
  refused += 1;
  await wait(AGAIN_MS);
  return timed(url, body);
}

const began = systemClock.monotonic();
const cpu = process.cpuUsage();
for (let nth = 0; nth < count; nth += 1) {
  await wait(Math.max(0, began + nth * BETWEEN_MS - systemClock.monotonic()));
  const body = hookOf(receiver, nth, systemClock.now());
  times.push(await timed(receiver.url, body));
  await wait(BETWEEN_MS / 2);
  bareTimes.push(await timed(bare, body));
}
await receiver.read();
const { user, system } = process.cpuUsage(cpu);
const percentile = (list: readonly number[], share: number): number =>
  at(
    list.toSorted((one, other) => one - other),
    Math.ceil(list.length * share) - 1,
  );
const figuresOf = (list: readonly number[]) => ({ p50: percentile(list, 0.5), p99: percentile(list, 0.99) });
const [own, ofBare] = [figuresOf(times), figuresOf(bareTimes)];
console.log(
  JSON.stringify({
    ...own,
    ...{ bareP50: ofBare.p50, bareP99: ofBare.p99, p50Ratio: own.p50 / ofBare.p50, p99Ratio: own.p99 / ofBare.p99 },
    ...{ refused, cpuUs: (user + system) / count / 1_000 },
  }),
);
process.exit(0);
