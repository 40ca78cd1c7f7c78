import { READ_TEXT } from './read-text.ts';

/**
 * Each script is atomic in Redis. Keys:
 * - `<prefix>lease:<key>`: a lease; the value is its holder.
 * - `<prefix>node:<id>`: a member, as JSON. The set `<prefix>nodes` holds the ids.
 * - `<prefix>run`: the run id of the Redis process to which these data belong.
 * - `<prefix>quiet`: while it exists, no free lease is granted.
 *
 * Leases, members and `quiet` expire by themselves. Anyone who can write to Redis can change these
 * keys, so each is read with its type and length checked (`READ_TEXT`), and values that no node can
 * have written are replaced or expire. `sealed.ts` decides which values to trust.
 */

/** Limits in bytes. Nodes never write longer holders or members. */
const MAX_HOLDER = 512;
const MAX_MEMBER = 8_192;
const MAX_MEMBERS = 1_000;
const MAX_IDS = 10_000;
const MAX_ID = 64;
const LONGEST_LIFE_MS = 120_000;

/** After a start, flush or failover of Redis, no free lease is granted for one lease lifetime. */
const NOTE_RUN = `${READ_TEXT}
local function noteRun(run, quiet, runId, ttl)
  if text(run, 64) ~= runId then
    redis.call('SET', run, runId)
    redis.call('SET', quiet, '1', 'PX', ttl)
  end
end
`;

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
 * KEYS: lease, run, quiet. ARGV: holder, ttl (ms), runId. Returns the holder, '' if invalid, nil
 * while Redis may have forgotten leases. A value without a plausible expiry gets one.
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

/** KEYS: lease. ARGV: found, holder, ttl (ms). Returns 1 if `found` was replaced. */
export const REPLACE = `${READ_TEXT}
if text(KEYS[1], ${MAX_HOLDER}) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/**
 * KEYS: leases. ARGV: the holder of each, then ttl (ms). Extends each lease that still has this
 * holder. For each of the others, returns the 1-based position and the current holder.
 */
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

export const RELEASE = `${READ_TEXT}
for i, key in ipairs(KEYS) do
  if text(key, ${MAX_HOLDER}) == ARGV[i] then redis.call('DEL', key) end
end
`;

export const HOLDERS = `${READ_TEXT}
local holders = {}
for i, key in ipairs(KEYS) do holders[i] = text(key, ${MAX_HOLDER}) end
return holders
`;

/**
 * KEYS: node, nodes, run, quiet. ARGV: id, member, started_at, ttl (ms), runId, prefix, isForced.
 * Returns id and text of each member. A newer entry is kept unless isForced is '1'.
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

/** KEYS: node, nodes. ARGV: id, boot. Removes the member if it still has this boot. */
export const PART = `${READ_TEXT}${READ_MEMBER}
local known = memberAt(KEYS[1])
if known and known.boot == ARGV[2] then
  redis.call('DEL', KEYS[1])
  if redis.call('TYPE', KEYS[2]).ok == 'set' then redis.call('SREM', KEYS[2], ARGV[1]) end
end
`;
