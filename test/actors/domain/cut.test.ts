import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cut } from '../../../actors/domain/cut.ts';

it('truncating a text never splits a character', () => {
  assert.deepEqual(
    [2, 3, 4, 5].map((length) => cut('ab😀c', length)),
    ['ab', 'ab', 'ab😀', 'ab😀c'],
  );
  assert.equal(cut('ab\ud83d', 3), 'ab\ufffd', 'a half that came so is none afterwards');
  assert.equal(cut('', 3), '');
});
