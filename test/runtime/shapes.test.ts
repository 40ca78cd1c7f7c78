import assert from 'node:assert/strict';
import { it } from 'node:test';
import { entriesOf, keysOf } from '../../runtime/keys-of.ts';
import { isOneOf, isRecord, memberOf } from '../../runtime/shapes.ts';

it('only objects are accepted as records', () => {
  assert.deepEqual([{}, [], null, 'text', undefined].map(isRecord), [true, true, false, false, false]);
});

it('a value counts as a member of a list only if it is identical to an entry', () => {
  assert.equal(isOneOf(['a', 'b'], 'b'), true);
  assert.equal(isOneOf(['1'], 1), false);
});

it('a property is read only from an object', () => {
  assert.equal(memberOf({ code: 'ENOENT' }, 'code'), 'ENOENT');
  assert.equal(memberOf(null, 'code'), undefined);
});

it("only a record's own keys and entries are returned", () => {
  assert.deepEqual(keysOf({ a: 1, b: 2 }), ['a', 'b']);
  assert.deepEqual(entriesOf({ a: 1, b: 2 }), [
    ['a', 1],
    ['b', 2],
  ]);
});
