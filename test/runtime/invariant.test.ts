import assert from 'node:assert/strict';
import { it } from 'node:test';
import { at, before, entry, present } from '../../runtime/invariant.ts';

it('an element is returned by index from either end, and a missing one throws', () => {
  assert.equal(at(['a', 'b'], 1), 'b');
  assert.equal(at(['a', 'b'], -1), 'b');
  assert.equal(at(new Float64Array([0]), 0), 0);
  assert.equal(at([null], 0), null);
  assert.throws(() => at(['a', 'b'], 2), /no element 2 in a list of 2/);
  assert.throws(() => at([], -1), RangeError);
});

it('a required entry or value is returned, and a missing one throws', () => {
  assert.equal(entry(new Map([['a', 0]]), 'a'), 0);
  assert.throws(() => entry(new Map(), 'b'), /no entry of b/);
  assert.equal(present('', 'a name'), '');
  assert.throws(() => present(null, 'a name'), /a name is missing/);
});

it('the text before a separator is returned, or the whole text if there is none', () => {
  assert.equal(before('text/csv; charset=utf-8', ';'), 'text/csv');
  assert.equal(before('text/csv', ';'), 'text/csv');
  assert.equal(before(';', ';'), '');
});
