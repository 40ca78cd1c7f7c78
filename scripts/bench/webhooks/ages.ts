import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { at } from '../../../runtime/invariant.ts';
import { expected } from '../../faults/caller.ts';
import { startLinkedNode } from '../whole/linked-node.ts';
import type { AgesReport, PacedOrder } from './customer.ts';

/** Prints the age in s of webhooks on arrival, at a steady rate of sends (RATE, SECONDS). */
const isQuick = process.argv[2] === 'quick';
const [DEVICES, PER_SECOND, SECONDS] = isQuick
  ? [3, 20, 1]
  : [60, Number(process.env['RATE'] ?? 300), Number(process.env['SECONDS'] ?? 30)];

const customer = fork(fileURLToPath(new URL('./customer.ts', import.meta.url)), { execArgv: [] });
process.on('exit', () => customer.kill());
const [place]: string[] = await once(customer, 'message');
const world = await startLinkedNode({ egress_allow: [place ?? ''] });
const devices = await world.online(0, DEVICES);
const events = ['message.sent', 'message.delivered', 'message.read'];
expected(
  await world.api('POST', '/v1/webhooks', { url: `http://${place}/hook`, events, secret: 'a secret that only the two of us know' }),
  201,
);
const cpu = process.cpuUsage();
customer.send({ url: world.node.url, key: world.key, devices, perSecond: PER_SECOND, seconds: SECONDS } satisfies PacedOrder);
const reports: AgesReport[] = await once(customer, 'message');
const { p50, p99, sends, deliveries } = at(reports, 0);
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ p50: p50 / 1_000, p99: p99 / 1_000, each: deliveries / sends, cpuMs: (user + system) / 1_000 / sends }));
await world.end();
process.exit(0);
