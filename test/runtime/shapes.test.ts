import assert from 'node:assert/strict';
import { it } from 'node:test';
import { entriesOf, keysOf } from '../../runtime/keys-of.ts';
import { isOneOf, isRecord, memberOf } from '../../runtime/shapes.ts';

it('accepts only objects as records', () => {
  assert.deepEqual([{}, [], null, 'text', undefined].map(isRecord), [true, true, false, false, false]);
});

it('accepts only an identical value as a member of a list', () => {
  assert.equal(isOneOf(['a', 'b'], 'b'), true);
  assert.equal(isOneOf(['1'], 1), false);
});

it('reads a member only from an object', () => {
  assert.equal(memberOf({ code: 'ENOENT' }, 'code'), 'ENOENT');
  assert.equal(memberOf(null, 'code'), undefined);
});

it('returns only own keys and entries of a record', () => {
  assert.deepEqual(keysOf({ a: 1, b: 2 }), ['a', 'b']);
  assert.deepEqual(entriesOf({ a: 1, b: 2 }), [
    ['a', 1],
    ['b', 2],
  ]);
});
