import { RedisServer } from '../../servers/redis.ts';

export const TTL_MS = 600_000;
export const HOLDER_BOOT = '01K0BENCHBOOT0000000000000';
export const KEYS = Array.from({ length: 10_000 }, (_, i) => `device/dev_01K0BENCH${String(i).padStart(16, '0')}`);

export async function benchRedis(): Promise<RedisServer & AsyncDisposable> {
  const redis = await RedisServer.start();
  await redis.settle();
  return Object.assign(redis, { [Symbol.asyncDispose]: () => redis.remove() });
}

export async function measureRenewals(redis: RedisServer, renewAll: () => Promise<void>): Promise<void> {
  const rounds = process.argv[2] === 'quick' ? 5 : 50;
  for (let n = 0; n < rounds / 5; n += 1) await renewAll();
  await redis.run((client) => client.config('RESETSTAT'));
  const before = await redisCpuMs(redis);
  const cpu = process.cpuUsage();
  const took: number[] = [];
  for (let n = 0; n < rounds; n += 1) took.push(await timed(renewAll));
  const { user, system } = process.cpuUsage(cpu);
  const redisMs = (await redisCpuMs(redis)) - before;
  console.log(
    JSON.stringify({
      ms: took.sort((a, b) => a - b)[rounds >> 1],
      clientCpuMs: (user + system) / 1_000 / rounds,
      redisCpuMs: redisMs / rounds,
      redisMsPerCall: await scriptMsPerCall(redis),
    }),
  );
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - startedAt) / 1e6;
}

async function redisCpuMs(redis: RedisServer): Promise<number> {
  const about = await redis.run((client) => client.info('cpu'));
  return 1_000 * (figure(about, /^used_cpu_sys_main_thread:([\d.]+)/m) + figure(about, /^used_cpu_user_main_thread:([\d.]+)/m));
}

async function scriptMsPerCall(redis: RedisServer): Promise<number> {
  const about = await redis.run((client) => client.info('commandstats'));
  return figure(about, /^cmdstat_evalsha:.*usec_per_call=([\d.]+)/m) / 1_000;
}

const figure = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);
