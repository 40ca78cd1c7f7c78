import { spawnSync } from 'node:child_process';
import { describe, type TestContext } from 'node:test';
import { RedisServer } from '../../scripts/servers/redis.ts';

/** Starts a separate Redis that ends with the test. It appears to have been in use (see `settle`). */
export async function aRedis(scope: Pick<TestContext, 'after'>): Promise<RedisServer> {
  const redis = await RedisServer.start();
  scope.after(() => redis.remove());
  await redis.settle();
  return redis;
}

/** Without Redis, its tests are skipped with a message. CI has Redis. */
export const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
if (!hasRedis) console.log('redis-server is not installed: the runs against Redis are left out.');

/** Like `describe`, if Redis is installed. `concurrency`: for tests that mostly wait. */
export function whereRedisIs(story: string, tell: () => void, concurrency = 1): void {
  if (hasRedis) describe(story, { concurrency }, tell);
}
