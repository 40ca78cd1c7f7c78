import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newApiKey } from '../../../http/auth/tokens.ts';

it('a new API key never starts with a dash, so commands accept it as the value of an option', () => {
  const keys = Array.from({ length: 2_000 }, newApiKey);
  assert.deepEqual(
    keys.filter((key) => !/^[\w][\w-]{42}$/.test(key)),
    [],
  );
  assert.equal(new Set(keys).size, keys.length);
});
