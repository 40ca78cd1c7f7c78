/**
 * The string at a key: false where there is none, '' where something else is there than a node wrote (another type, longer than `most`
 * bytes, or not in plain ASCII), without reading more of it than that.
 */
export const READ_TEXT = `
local function text(key, most)
  local found = redis.pcall('GETRANGE', key, 0, most)
  if type(found) ~= 'string' then return '' end
  if found == '' then return redis.call('EXISTS', key) == 1 and '' end
  if #found > most or string.find(found, '[^\\32-\\126]') then return '' end
  return found
end
`;
