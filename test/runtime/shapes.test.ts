import assert from 'node:assert/strict';
import { it } from 'node:test';
import { entriesOf, keysOf } from '../../runtime/keys-of.ts';
import { isOneOf, isRecord, memberOf } from '../../runtime/shapes.ts';

it('objects are records, and nothing else is', () => {
  assert.deepEqual([{}, [], null, 'text', undefined].map(isRecord), [true, true, false, false, false]);
});

it('a value is one of a list only when it is the same', () => {
  assert.equal(isOneOf(['a', 'b'], 'b'), true);
  assert.equal(isOneOf(['1'], 1), false);
});

it('a member is read of objects only', () => {
  assert.equal(memberOf({ code: 'ENOENT' }, 'code'), 'ENOENT');
  assert.equal(memberOf(null, 'code'), undefined);
});

it('keys and entries of a record are its own', () => {
  assert.deepEqual(keysOf({ a: 1, b: 2 }), ['a', 'b']);
  assert.deepEqual(entriesOf({ a: 1, b: 2 }), [
    ['a', 1],
    ['b', 2],
  ]);
});
