/**
 * Reads the string at a key: false when absent, '' when no node wrote it (another type, longer than
 * `most` bytes, not plain ASCII). Reads at most `most` + 1 bytes.
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
