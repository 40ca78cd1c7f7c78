/**
 * Reads the string at a key: false when the key does not exist, '' when the value was not written
 * by a node (another type, longer than `most` bytes, or not plain ASCII). Never reads more than
 * `most` + 1 bytes.
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
