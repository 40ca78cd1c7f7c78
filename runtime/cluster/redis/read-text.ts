/** Returns false if absent; '' if no node wrote the value (other type, too long, not ASCII). */
export const READ_TEXT = `
local function text(key, most)
  local found = redis.pcall('GETRANGE', key, 0, most)
  if type(found) ~= 'string' then return '' end
  if found == '' then return redis.call('EXISTS', key) == 1 and '' end
  if #found > most or string.find(found, '[^\\32-\\126]') then return '' end
  return found
end
`;
