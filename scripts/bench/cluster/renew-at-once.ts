import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { benchRedis, HOLDER_BOOT, KEYS, measureRenewals, TTL_MS } from './renewals.ts';

/** Upper bound: the shortest script that checks the owner, called once for all keys. */
const RENEW = `
local answers = {}
for i, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then answers[i] = redis.call('PEXPIRE', key, ARGV[2]) else answers[i] = 0 end
end
return answers
`;

await using redis = await benchRedis();
const client = new Redis(redis.url);
const names = KEYS.map((key) => `gw:lease:${key}`);
const holder = `a/${HOLDER_BOOT}/`;
await Promise.all(names.map((name) => client.set(name, holder, 'PX', TTL_MS)));
await client.script('LOAD', RENEW);
const sha = createHash('sha1').update(RENEW).digest('hex');

await measureRenewals(redis, async () => {
  const answers = await client.evalsha(sha, names.length, ...names, holder, String(TTL_MS));
  if (!Array.isArray(answers) || answers.length !== names.length || answers.includes(0)) throw new Error('error: a lease was not renewed');
});
client.disconnect();
