import assert from 'node:assert/strict';
import { it } from 'node:test';
import { at, before, entry, present } from '../../runtime/invariant.ts';

it('reading an element by index from either end throws if the element is missing', () => {
  assert.equal(at(['a', 'b'], 1), 'b');
  assert.equal(at(['a', 'b'], -1), 'b');
  assert.equal(at(new Float64Array([0]), 0), 0);
  assert.equal(at([null], 0), null);
  assert.throws(() => at(['a', 'b'], 2), /no element 2 in a list of 2/);
  assert.throws(() => at([], -1), RangeError);
});

it('reading a required entry or value throws if it is missing', () => {
  assert.equal(entry(new Map([['a', 0]]), 'a'), 0);
  assert.throws(() => entry(new Map(), 'b'), /no entry of b/);
  assert.equal(present('', 'a name'), '');
  assert.throws(() => present(null, 'a name'), /a name is missing/);
});

it('reading the text before a separator returns the whole text if there is no separator', () => {
  assert.equal(before('text/csv; charset=utf-8', ';'), 'text/csv');
  assert.equal(before('text/csv', ';'), 'text/csv');
  assert.equal(before(';', ';'), '');
});
