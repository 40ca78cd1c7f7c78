import { createInterface } from 'node:readline';
import { systemClock } from '../../../runtime/clock.ts';
import { redisCluster } from '../../../runtime/cluster/redis/coordination.ts';
import { quiet, SECRET } from './kinds.ts';

/** A node in a process of its own: takes `device/1` from the Redis of its first argument and answers each line with whether that is safe. */
const [url = '', ttlMs = ''] = process.argv.slice(2);
const cluster = redisCluster({
  url,
  secret: SECRET,
  nodeId: 'child',
  boot: `pid${process.pid}`,
  ttlMs: Number(ttlMs),
  clock: systemClock,
  log: quiet,
});
await cluster.start();
const lease = await cluster.leases.acquire('device/1');
console.log(lease === null ? 'refused' : 'holds');
for await (const _ of createInterface({ input: process.stdin })) console.log(lease?.isSafe() ? 'safe' : 'not safe');
