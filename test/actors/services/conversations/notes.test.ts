import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newestNotes, withNote } from '../../../../actors/services/conversations/notes.ts';

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, nth) => String(nth));

it('a chat with 200 notes rejects another one, but an AI hand-off replaces the oldest', () => {
  assert.equal(withNote(numbered(199), 'new').length, 200);
  assert.throws(() => withNote(numbered(200), 'new'), { code: 'LIMIT_REACHED' });
  assert.deepEqual(newestNotes(['new', ...numbered(200)]), ['new', ...numbered(199)]);
});

it('a chat with 32,768 characters of notes rejects more, but an AI hand-off replaces the oldest notes', () => {
  const full = ['x'.repeat(20_000), 'y'.repeat(12_767), 'z'];
  assert.equal(newestNotes(full), full);
  assert.throws(() => withNote(full, 'n'), { code: 'LIMIT_REACHED' });
  assert.deepEqual(newestNotes(['n', ...full]), ['n', ...full.slice(0, 2)]);
  assert.deepEqual(newestNotes(['n'.repeat(12_768), ...full]), ['n'.repeat(12_768), full[0]]);
});
