import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../runtime/clock.ts';
import { redisCluster } from '../../../runtime/cluster/redis/coordination.ts';
import { BODY, measureAsks } from './asks.ts';
import { benchRedis } from './renewals.ts';

// Defined before the calls below, because they need it.
const SECRET = 'the secret of a cluster of benchmarks';

if (process.send === undefined) await ask();
else (await aNode('answerer', process.argv[3] ?? '')).wire.serve(async (body) => body);
process.send?.('serves');

async function ask(): Promise<void> {
  await using redis = await benchRedis();
  const child = fork(fileURLToPath(import.meta.url), ['answerer', redis.url]);
  await once(child, 'message');
  const node = await aNode('asker', redis.url);
  await measureAsks(() => node.wire.ask('answerer', BODY, 10_000));
  child.kill();
  await node.leave();
}

async function aNode(nodeId: string, url: string) {
  const log = { info() {}, warn: console.error, error: console.error };
  const node = redisCluster({ url, secret: SECRET, nodeId, boot: String(process.pid), ttlMs: 10_000, clock: systemClock, log });
  await node.start();
  return node;
}
