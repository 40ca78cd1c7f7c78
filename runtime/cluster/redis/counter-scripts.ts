/**
 * Sliding windows are lists `<prefix>window:<key>` of the times of the calls that were let through, newest first, never longer than the largest
 * limit they had; rooms are sorted sets `<prefix>room:<name>` of seats by when they are given up. All times are this Redis' own, in ms: clocks of
 * nodes may differ. Both expire by themselves.
 */

/** KEYS the windows of all calls, ARGV for each call how many it has, and of each its max and length: for each window ok, remaining, ms to wait. */
export const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answers = {}

local function look(key, max, length)
  local newest = tonumber(redis.call('LINDEX', key, 0) or 0)
  if newest > now + length then redis.call('DEL', key) end
  local oldest = redis.call('LINDEX', key, -1)
  while oldest and tonumber(oldest) <= now - length do
    redis.call('RPOP', key)
    oldest = redis.call('LINDEX', key, -1)
  end
  local size = redis.call('LLEN', key)
  local seen = { key = key, length = length, left = max - size, wait = (tonumber(oldest) or now) + length - now, at = math.max(now, newest) }
  if size == 0 then seen.at = now end
  if max <= 0 then
    seen.wait = length
  elseif size > max then
    seen.wait = tonumber(redis.call('LINDEX', key, max - 1)) + length - now
  end
  return seen
end

local k, a = 0, 0
while a < #ARGV do
  local count, isFull, seen = tonumber(ARGV[a + 1]), false, {}
  a = a + 1
  for i = 1, count do
    seen[i] = look(KEYS[k + i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]))
    isFull = isFull or seen[i].left <= 0
    a = a + 2
  end
  for i = 1, count do
    local one = seen[i]
    if not isFull then
      redis.call('LPUSH', one.key, string.format('%.0f', one.at))
      redis.call('PEXPIRE', one.key, one.length)
      one.left = one.left - 1
    end
    answers[#answers + 1] = (not isFull or one.left > 0) and 1 or 0
    answers[#answers + 1] = math.max(0, one.left)
    answers[#answers + 1] = one.wait
  end
  k = k + count
end
return answers
`;

/** KEYS room, ARGV seat most ttl: 1 where it sits now. Most below 0: no limit. */
export const ACQUIRE_SEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if most >= 0 and not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= most then return 0 end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`;
