import { Redis } from 'ioredis';
import type { Address } from '../address.ts';
import type { OpenSink, Outgoing } from '../sink.ts';

const PATIENCE_MS = 10_000;

/**
 * Adds the events, then stores the position. KEYS: stream, positions. ARGV: business, expected and next
 * position, then the trimming arguments and the fields of each event, each preceded by their number.
 */
const ADD = `
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[2] then return 0 end
local at = 4
local function taken()
  local some = {unpack(ARGV, at + 1, at + tonumber(ARGV[at]))}
  at = at + #some + 1
  return some
end
local trim = taken()
while at <= #ARGV do
  local entry = {'XADD', KEYS[1], unpack(trim)}
  table.insert(entry, '*')
  for _, field in ipairs(taken()) do table.insert(entry, field) end
  redis.call(unpack(entry))
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return 1`;

/** One script writes both the events and the position, if the stored position is as expected. */
export const openRedis: OpenSink = async (address, { tenantId }) => {
  const { stream = 'gateway:events', maxlen, wait } = address.options;
  const positions = positionsOf(stream);
  const redis = new Redis(reached(address));
  let broken: Error | null = null;
  redis.on('error', (cause) => {
    broken ??= cause;
  });
  let held = await positionIn(redis, address, positions, tenantId).catch((cause) => {
    redis.disconnect();
    throw broken ?? cause;
  });

  return {
    atOnce: Number.POSITIVE_INFINITY,
    get held() {
      return held;
    },
    async deliver(events, next) {
      const trim = maxlen === undefined ? [] : ['MAXLEN', '~', maxlen];
      const entries = [trim, ...events.map(fieldsOf)].flatMap((fields) => [String(fields.length), ...fields]);
      const isAdded = await redis.eval(ADD, 2, stream, positions, tenantId, held ?? '', next ?? held ?? '', ...entries);
      if (isAdded !== 1) throw new Error(`another listener writes to the stream ${stream}`);
      held = next ?? held;
      if (wait === undefined) return 'added';
      const copies = await redis.wait(Number(wait), PATIENCE_MS / 2);
      if (copies < Number(wait)) throw new Error(`only ${copies} of ${wait} replicas have the events`);
      return 'added';
    },
    close: async () => redis.disconnect(),
  };
};

/** Selects the database explicitly, because the library would ignore a refusal and use database 0. */
async function positionIn(redis: Redis, { path }: Address, positions: string, tenantId: string): Promise<string | null> {
  await redis.connect();
  if (path !== '') await redis.select(Number(path));
  return redis.hget(positions, tenantId);
}

/** Returns a key in the same slot as the stream, so that the script also works on Redis Cluster. */
const positionsOf = (stream: string): string => (/\{.+\}/.test(stream) ? `${stream}:positions` : `{${stream}}:positions`);

const fieldsOf = ({ attributes, body }: Outgoing): string[] => [...Object.entries(attributes).flat(), 'event', body];

function reached({ isTls, host, port, username, password }: Address) {
  return {
    host,
    port,
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(isTls && { tls: {} }),
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  };
}
