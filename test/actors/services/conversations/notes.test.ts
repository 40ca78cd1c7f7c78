import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newestNotes, withNote } from '../../../../actors/services/conversations/notes.ts';

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, nth) => String(nth));

it('a chat has room for 200 notes: one more is refused, and where it has to be kept the oldest goes', () => {
  assert.equal(withNote(numbered(199), 'new').length, 200);
  assert.throws(() => withNote(numbered(200), 'new'), { code: 'LIMIT_REACHED' });
  assert.deepEqual(newestNotes(['new', ...numbered(200)]), ['new', ...numbered(199)]);
});

it('a chat has room for 32,768 characters of notes: one more is refused, and where it has to be kept the oldest notes go', () => {
  const full = ['x'.repeat(20_000), 'y'.repeat(12_767), 'z'];
  assert.equal(newestNotes(full), full);
  assert.throws(() => withNote(full, 'n'), { code: 'LIMIT_REACHED' });
  assert.deepEqual(newestNotes(['n', ...full]), ['n', ...full.slice(0, 2)]);
  assert.deepEqual(newestNotes(['n'.repeat(12_768), ...full]), ['n'.repeat(12_768), full[0]]);
});
