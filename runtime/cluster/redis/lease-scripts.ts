/**
 * Each is atomic in Redis. Leases are strings `<prefix>lease:<key>` = holder, members `<prefix>node:<id>` = JSON with their ids in the set
 * `<prefix>nodes`; both expire by themselves. `<prefix>run` tells which run of the Redis process these data belong to.
 */

/** Redis was started, replaced by its replica or flushed since: it may have forgotten leases that are still relied on, so for one life no free one is given. */
const NOTE_RUN = `
local function noteRun(run, quiet, runId, ttl)
  if redis.call('GET', run) ~= runId then
    redis.call('SET', run, runId)
    redis.call('SET', quiet, '1', 'PX', ttl)
  end
end
`;

/** A member that does not read as one is none: it must not stop those that are. */
const READ_MEMBER = `
local function read(text)
  if not text then return nil end
  local isRead, member = pcall(cjson.decode, text)
  if isRead and type(member) == 'table' then return member end
  return nil
end
`;

/** KEYS lease run quiet, ARGV holder owner ttl runId: who holds it now, or nil. */
export const ACQUIRE = `${NOTE_RUN}
noteRun(KEYS[2], KEYS[3], ARGV[4], ARGV[3])
local held = redis.call('GET', KEYS[1])
if held then
  if string.sub(held, 1, #ARGV[2]) ~= ARGV[2] then return held end
elseif redis.call('EXISTS', KEYS[3]) == 1 then
  return false
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]
`;

/** KEYS leases, ARGV owner ttl: the places, from 1, of those that it does not hold; all others are prolonged. */
export const RENEW = `
local owner, ttl, length = ARGV[1], ARGV[2], #ARGV[1]
local held, others = redis.call('MGET', unpack(KEYS)), {}
for i, key in ipairs(KEYS) do
  if held[i] and string.sub(held[i], 1, length) == owner then
    redis.call('PEXPIRE', key, ttl)
  else
    others[#others + 1] = i
  end
end
return others
`;

/** KEYS leases, ARGV the holder of each. */
export const RELEASE = `
for i, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[i] then redis.call('DEL', key) end
end
`;

/** KEYS node nodes run quiet, ARGV id member started_at ttl runId prefix-of-nodes: the members. */
export const BEAT = `${NOTE_RUN}${READ_MEMBER}
noteRun(KEYS[3], KEYS[4], ARGV[5], ARGV[4])
local known = read(redis.call('GET', KEYS[1]))
if not known or (tonumber(known.started_at) or 0) <= tonumber(ARGV[3]) then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
  redis.call('SADD', KEYS[2], ARGV[1])
end
local members = {}
for _, id in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  local member = redis.call('GET', ARGV[6] .. id)
  if member then members[#members + 1] = member else redis.call('SREM', KEYS[2], id) end
end
return members
`;

/** KEYS node nodes, ARGV id boot. */
export const PART = `${READ_MEMBER}
local known = read(redis.call('GET', KEYS[1]))
if known and known.boot == ARGV[2] then
  redis.call('DEL', KEYS[1])
  redis.call('SREM', KEYS[2], ARGV[1])
end
`;
