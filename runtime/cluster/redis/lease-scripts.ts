import { READ_TEXT } from './read-text.ts';

/**
 * Each script is atomic in Redis. Leases are strings `<prefix>lease:<key>` = holder, members `<prefix>node:<id>` = JSON with their ids in
 * the set `<prefix>nodes`; all but the set expire by themselves. `<prefix>run` names the run of the Redis process that these data belong
 * to, and while `<prefix>quiet` exists no free lease is given.
 *
 * Whoever can write to Redis can set these keys to anything. So each is read with its type and length checked (`READ_TEXT`), what
 * cannot be ours is replaced or expires, and nothing here decides who is believed: that is `sealed.ts`.
 */

/** Longest holder and member in bytes: others were not written by a node. */
const MAX_HOLDER = 512;
const MAX_MEMBER = 8_192;
/** Members that one heartbeat answers, and ids in their set. */
const MAX_MEMBERS = 1_000;
const MAX_IDS = 10_000;
const MAX_ID = 64;
/** The longest life of a lease that a node can have (LEASE_TTL_MS). */
const LONGEST_LIFE_MS = 120_000;

/** Redis was started, replaced by its replica or flushed since: it may have forgotten leases that are still relied on, so for one life no free one is given. */
const NOTE_RUN = `${READ_TEXT}
local function noteRun(run, quiet, runId, ttl)
  if text(run, 64) ~= runId then
    redis.call('SET', run, runId)
    redis.call('SET', quiet, '1', 'PX', ttl)
  end
end
`;

/** Anything but a member of ours is nil. */
const READ_MEMBER = `
local function memberAt(key)
  local found = text(key, ${MAX_MEMBER})
  if not found then return nil end
  local isRead, member = pcall(cjson.decode, found)
  if isRead and type(member) == 'table' then return member end
  return nil
end
`;

/**
 * KEYS lease run quiet, ARGV holder ttl runId: who holds it now, '' for anything that is no holder; nil while Redis may have forgotten
 * leases. A value that never ends, or later than any lease, is given an end, so that it blocks the lease for a while only.
 */
export const ACQUIRE = `${NOTE_RUN}
noteRun(KEYS[2], KEYS[3], ARGV[3], ARGV[2])
local held = text(KEYS[1], ${MAX_HOLDER})
if held then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  if left > ${LONGEST_LIFE_MS} then redis.call('PEXPIRE', KEYS[1], ${LONGEST_LIFE_MS}) end
  return held
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  local left = redis.call('PTTL', KEYS[3])
  if left < 0 or left > ${LONGEST_LIFE_MS} then redis.call('PEXPIRE', KEYS[3], ARGV[2]) end
  return false
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`;

/** KEYS lease, ARGV found holder ttl: 1 where what was found is still there and the holder is now instead. */
export const REPLACE = `${READ_TEXT}
if text(KEYS[1], ${MAX_HOLDER}) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** KEYS leases, ARGV the holder of each, and ttl: of those that it does not hold, the place (from 1) and who holds it; all others are prolonged. */
export const RENEW = `${READ_TEXT}
local ttl, others = ARGV[#KEYS + 1], {}
for i, key in ipairs(KEYS) do
  local held = text(key, ${MAX_HOLDER})
  if held == ARGV[i] then
    redis.call('PEXPIRE', key, ttl)
  else
    others[#others + 1] = i
    others[#others + 1] = held
  end
end
return others
`;

/** KEYS leases, ARGV the holder of each. */
export const RELEASE = `${READ_TEXT}
for i, key in ipairs(KEYS) do
  if text(key, ${MAX_HOLDER}) == ARGV[i] then redis.call('DEL', key) end
end
`;

/** KEYS leases: the holder of each, nil where it is free, '' for anything that is no holder. */
export const HOLDERS = `${READ_TEXT}
local holders = {}
for i, key in ipairs(KEYS) do holders[i] = text(key, ${MAX_HOLDER}) end
return holders
`;

/**
 * KEYS node nodes run quiet, ARGV id member started_at ttl runId prefix-of-nodes isForced: the id and the text of each member, '' for
 * anything that is no member. A start that looks younger than ours stays, unless we force our own over it.
 */
export const BEAT = `${NOTE_RUN}${READ_MEMBER}
noteRun(KEYS[3], KEYS[4], ARGV[5], ARGV[4])
local known = memberAt(KEYS[1])
if ARGV[7] == '1' or not known or (tonumber(known.started_at) or 0) <= tonumber(ARGV[3]) then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
end
local kind = redis.call('TYPE', KEYS[2]).ok
if (kind ~= 'set' and kind ~= 'none') or (kind == 'set' and redis.call('SCARD', KEYS[2]) > ${MAX_IDS}) then redis.call('DEL', KEYS[2]) end
redis.call('SADD', KEYS[2], ARGV[1])
local members = {}
for _, id in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  local member = #id <= ${MAX_ID} and text(ARGV[6] .. id, ${MAX_MEMBER})
  if not member then
    redis.call('SREM', KEYS[2], id)
  elseif #members < 2 * ${MAX_MEMBERS} then
    members[#members + 1] = id
    members[#members + 1] = member
  end
end
return members
`;

/** KEYS node nodes, ARGV id boot. */
export const PART = `${READ_TEXT}${READ_MEMBER}
local known = memberAt(KEYS[1])
if known and known.boot == ARGV[2] then
  redis.call('DEL', KEYS[1])
  if redis.call('TYPE', KEYS[2]).ok == 'set' then redis.call('SREM', KEYS[2], ARGV[1]) end
end
`;
