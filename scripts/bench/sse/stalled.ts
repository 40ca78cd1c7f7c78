import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../runtime/clock.ts';
import type { StalledOrder, StalledProgress } from './stalled-readers.ts';
import { startTicketNode } from './ticket-node.ts';

/** Sends many large events, so that the kernel's buffers fill up early. */
const [size, manner] = process.argv.slice(2);
const isQuick = size === 'quick';
const OTHERS = isQuick ? 50 : 200;
const LIVE = isQuick ? 10 : 50;
const EVENTS = isQuick ? 400 : 1_200;
const WARM_UP = 20;
const REASON = 'x'.repeat(32 * 1_024);
const MAX_AHEAD = 2;
const MB = 1_024 * 1_024;

const { node, port, tenantId, paths } = await startTicketNode(OTHERS + LIVE);
const readers = fork(fileURLToPath(new URL('./stalled-readers.ts', import.meta.url)));
let progress: StalledProgress = { open: 0, bytes: 0, delays: [] };
let received = (): void => {};
const delays: number[] = [];
readers.on('message', (next: StalledProgress) => {
  progress = next;
  delays.push(...next.delays);
  received();
});
readers.send({ port, others: paths.slice(0, OTHERS), stall: manner === 'stall', live: paths.slice(OTHERS) } satisfies StalledOrder);

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) {
    const { promise, resolve } = Promise.withResolvers<void>();
    received = resolve;
    await promise;
  }
};

const say = (n: number): void =>
  node.live.emit(tenantId, null, { type: 'blast.paused', data: { blast_id: String(n).padStart(6, '0'), reason: REASON } });

/** Waits if the live readers are MAX_AHEAD events behind. Returns the peak memory in bytes. */
async function sayAll(from: number, to: number): Promise<number> {
  let most = 0;
  for (let n = from; n < to; n += 1) {
    say(n);
    await until(() => progress.bytes >= (n + 1 - MAX_AHEAD) * REASON.length);
    most = Math.max(most, process.memoryUsage.rss());
  }
  await until(() => progress.bytes >= to * REASON.length);
  return most;
}

await until(() => progress.open === OTHERS + LIVE);
await sayAll(0, WARM_UP);
await new Promise<void>((resolve) => void systemClock.after(300, resolve));
delays.length = 0;
globalThis.gc?.();
const before = process.memoryUsage.rss();
const most = await sayAll(WARM_UP, EVENTS);
const sorted = delays.sort((a, b) => a - b);
readers.kill();
console.log(
  JSON.stringify({
    growthMb: (most - before) / MB,
    closed: OTHERS + LIVE - node.live.size,
    p50: sorted[sorted.length >> 1],
    p99: sorted[Math.floor(sorted.length * 0.99)],
  }),
);
process.exit();
