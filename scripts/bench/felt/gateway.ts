import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { messagesIn } from '../../../store/messaging/messages.ts';
import { expected } from '../../faults/caller.ts';
import { percentile } from '../console/business.ts';
import { LEVELS } from '../felt.ts';
import { startLinkedNode } from '../whole/linked-node.ts';
import type { LoadOrder, LoadReport, Scene } from './customer.ts';

/**
 * Prints how long people wait at 10, 50 and 90 % of the gateway's limit. The limit is the rate of sends at which one
 * call in a hundred waits longer than 100 ms for its 202.
 */
const isQuick = process.argv[2] === 'quick';
const [DEVICES, SECONDS, STEP_SECONDS] = isQuick ? [3, 2, 1] : [60, 30, 5];
const LIMIT_MS = 100;
const [FIRST_RATE, STEP] = [isQuick ? 400 : 100, isQuick ? 2 : 1.15];
const MOST = isQuick ? 800 : 10_000;
const POLL_MS = 50;
const OWNER = '6281100000001';

const customer = fork(fileURLToPath(new URL('./customer.ts', import.meta.url)), { execArgv: [] });
customer.once('exit', () => process.exit(1));
process.on('exit', () => customer.kill());
const [place]: string[] = await once(customer, 'message');
const world = await startLinkedNode({ egress_allow: [place ?? ''] });
const messages = messagesIn(world.store);
const devices = await world.online(0, DEVICES);
const hook = { url: `http://${place}/hook`, events: ['message.received'], secret: 'a secret that only the two of us know' };
expected(await world.api('POST', '/v1/webhooks', hook), 201);
await told<'open'>({ url: world.node.url, networkUrl: world.networkUrl, key: world.key, owner: OWNER, devices });

const limit = await findLimit();
const figures: Record<string, number> = {};
for (const level of LEVELS) {
  const sendsPerSecond = (limit * level) / 100;
  const { sent, acceptP99, webhookP99, paintedP99 } = await told<LoadReport>({ sendsPerSecond, seconds: SECONDS, isWatched: true });
  const acks = await Promise.all(sent.map(async ([device, id, due]) => (await sentAt(device, id)) - due));
  Object.assign(figures, {
    [`rate${level}`]: sendsPerSecond,
    [`accept${level}`]: acceptP99,
    [`ack${level}`]: percentile(acks, 0.99),
    [`webhook${level}`]: webhookP99,
    [`painted${level}`]: paintedP99,
  });
}
console.log(JSON.stringify(figures));
await world.end();
process.exit(0);

async function findLimit(): Promise<number> {
  await told<LoadReport>({ sendsPerSecond: FIRST_RATE, seconds: STEP_SECONDS, isWatched: false });
  for (let rate = FIRST_RATE; rate < MOST; rate *= STEP) {
    const { acceptP99, sent } = await told<LoadReport>({ sendsPerSecond: rate, seconds: STEP_SECONDS, isWatched: false });
    if (process.env['SHOW']) console.error(`${rate.toFixed(0)} a second: ${acceptP99.toFixed(0)} ms`);
    await Promise.all(sent.map(([device, id]) => sentAt(device, id)));
    if (acceptP99 > LIMIT_MS) return rate;
  }
  return MOST;
}

async function told<Report>(said: Scene | LoadOrder): Promise<Report> {
  const answered = once(customer, 'message');
  customer.send(said);
  const [report] = await answered;
  return report;
}

async function sentAt(device: string, id: string): Promise<number> {
  for (;;) {
    const row = await messages.find(world.tenantId, device, id);
    if (row?.sent_at) return row.sent_at;
    await pause(systemClock, POLL_MS);
  }
}
