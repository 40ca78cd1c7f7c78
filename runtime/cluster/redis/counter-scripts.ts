/**
 * A sliding window is a list `<prefix>window:<key>` with the times of allowed calls, newest first.
 * The list has at most twice the window's limit, plus `SLACK`, entries. A room is a sorted set
 * `<prefix>room:<name>` of seats, scored by expiry time. All times are in ms by Redis's clock,
 * because the nodes' clocks may differ. Windows and rooms expire by themselves. Anyone who can
 * write to Redis can change them. Values that no node can have written are deleted, because a
 * forged full window might never expire. A local limit on each node bounds how many calls this can
 * let through (`limits-over-nodes.ts`).
 */

/** Windows are truncated at twice the limit plus this, because the limit may have been lowered. */
const SLACK = 1_000;

/**
 * KEYS: the windows of all calls. ARGV: for each call, the number of windows, then the maximum and
 * length (ms) of each. Returns for each window: ok, remaining calls and ms to wait.
 */
export const COUNT = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local answers = {}

-- Returns the time at a position of a window, or nil if it has no valid time there.
local function timeAt(key, place)
  local time = tonumber(redis.call('LINDEX', key, place) or nil)
  if time and time >= 0 and time < 1e15 then return time end
  return nil
end

local function look(key, max, length)
  local kind = redis.call('TYPE', key).ok
  local size = kind == 'list' and redis.call('LLEN', key) or 0
  local newest = size > 0 and timeAt(key, 0)
  if kind ~= 'none' and (not newest or newest > now + length) then
    redis.call('DEL', key)
    size = 0
  end
  local most = 2 * math.max(max, 0) + ${SLACK}
  if size > most then
    redis.call('LTRIM', key, 0, most - 1)
    size = most
  end
  local oldest = size > 0 and timeAt(key, -1)
  while size > 0 and (oldest or 0) <= now - length do
    redis.call('RPOP', key)
    size = size - 1
    oldest = size > 0 and timeAt(key, -1)
  end
  local seen = { key = key, length = length, left = max - size, wait = (oldest or now) + length - now, at = now }
  if size > 0 then seen.at = math.max(now, newest) end
  if max <= 0 then
    seen.wait = length
  elseif size > max then
    seen.wait = (timeAt(key, max - 1) or now) + length - now
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

/** KEYS: room. ARGV: seat, most (below 0: no limit), ttl (ms). Returns 1 if the seat is held. */
export const ACQUIRE_SEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most = tonumber(ARGV[2])
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', KEYS[1]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
-- Removes seats that end later than any seat taken now, because their time is wrong.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now + ARGV[3]), '+inf')
if most >= 0 and not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= most then return 0 end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`;
