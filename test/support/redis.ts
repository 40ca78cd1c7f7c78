import { spawnSync } from 'node:child_process';
import { describe, type TestContext } from 'node:test';
import { RedisServer } from '../../scripts/servers/redis.ts';

/** A Redis of one's own, gone with the test. It seems to have been in use (see `settle`). */
export async function aRedis(scope: Pick<TestContext, 'after'>): Promise<RedisServer> {
  const redis = await RedisServer.start();
  scope.after(() => redis.remove());
  await redis.settle();
  return redis;
}

/** Where Redis is not installed, its tests are left out, and this says so; CI has it. */
export const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
if (!hasRedis) console.log('redis-server is not installed: the runs against Redis are left out.');

/** Like `describe`, where Redis is installed. `concurrency`: of stories that wait more than they work. */
export function whereRedisIs(story: string, tell: () => void, concurrency = 1): void {
  if (hasRedis) describe(story, { concurrency }, tell);
}
