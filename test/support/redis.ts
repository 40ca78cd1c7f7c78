import type { TestContext } from 'node:test';
import { RedisServer } from '../../scripts/servers/redis.ts';

/** A Redis of one's own, gone with the test. It seems to have been in use (see `settle`). */
export async function aRedis(scope: Pick<TestContext, 'after'>): Promise<RedisServer> {
  const redis = await RedisServer.start();
  scope.after(() => redis.remove());
  await redis.settle();
  return redis;
}
