import { Redis } from 'ioredis';
import { Failure } from '../../cluster/operator.ts';
import { jsonIn } from './folder.ts';
import { MAX_ENTRIES, MAX_ENTRY_BYTES, nameIn, type Source, type SourceRecord } from './source.ts';

function connectionTo(url: string): Redis {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on('error', () => {});
  return redis;
}

async function connect(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  await redis.connect().catch(() => {
    throw new Failure('Redis does not respond at this address. Check the address, and make sure that Redis is running.');
  });
}

/** The keys of an instance whose login is in Evolution's database. None if it has no keys in Redis. */
export async function evolutionKeysIn(url: string, id: string): Promise<readonly SourceRecord[]> {
  const redis = connectionTo(url);
  try {
    await connect(redis);
    const [found, other] = await keysOf(redis, `*:instance:${globOf(id)}`);
    if (other !== undefined) throw new Failure(`Several keys belong to ${id}: ${found}, ${other}.`);
    return found === undefined ? [] : await recordsOf(redis, found);
  } finally {
    redis.disconnect();
  }
}

const globOf = (name: string): string => name.replaceAll(/[*?[\]\\^-]/g, '\\$&');

/** Evolution's key is `<prefix>:instance:<id>`, fazer's `@baileys-api:connections:<id>:authState`. */
export function redisSource(url: string, format: 'evolution' | 'fazer', instance: string): Source {
  const redis = connectionTo(url);
  const glob = globOf(instance);
  const key = async (): Promise<string> => {
    const pattern = format === 'evolution' ? `*:instance:${glob}` : `@baileys-api:connections:${glob}:authState`;
    const [found, other] = await keysOf(redis, pattern);
    if (found === undefined) throw new Failure(`The source has no login for ${instance}.`);
    if (other !== undefined) throw new Failure(`Several keys belong to ${instance}: ${found}, ${other}.`);
    return found;
  };
  return {
    format,
    async read() {
      await connect(redis);
      if (format === 'fazer') await expectNoLease(redis, `@baileys-api:connections:${glob}:*`);
      const records = await recordsOf(redis, await key());
      if (!records.some(({ kind }) => kind === 'creds')) throw new Failure(`The source has no login for ${instance}.`);
      return records;
    },
    async retire(today) {
      const from = await key();
      await redis.rename(from, `${from}.moved-${today}`);
      return `The old key is now called ${from}.moved-${today}, so the old program cannot use it again.`;
    },
    close: async () => redis.disconnect(),
  };
}

async function keysOf(redis: Redis, pattern: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const keys of redis.scanStream({ match: pattern, count: 1_000 })) if (Array.isArray(keys)) found.push(...keys.map(String));
  return found;
}

/** Rejects if a key has an expiry time, because a running program keeps renewing such a key. */
async function expectNoLease(redis: Redis, pattern: string): Promise<void> {
  for (const key of await keysOf(redis, pattern))
    if ((await redis.pttl(key)) > 0) throw new Failure(`The old program is still running, according to ${key}. Stop it, then try again.`);
}

async function recordsOf(redis: Redis, key: string): Promise<readonly SourceRecord[]> {
  if ((await redis.hlen(key)) > MAX_ENTRIES) throw new Failure(`The login has more than ${MAX_ENTRIES} records.`);
  const records = new Map<string, SourceRecord>();
  for await (const page of redis.hscanStream(key, { count: 1_000 })) {
    const cells: readonly unknown[] = Array.isArray(page) ? page : [];
    for (let at = 0; at + 1 < cells.length; at += 2) {
      const [field, text] = [String(cells[at]), String(cells[at + 1])];
      const name = nameIn(field);
      if (name && text.length <= MAX_ENTRY_BYTES) records.set(field, { ...name, value: jsonIn(text) });
    }
  }
  return [...records.values()];
}
