import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchedPart } from '../../../actors/domain/matched-part.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';

const part = (text: string) => matchedPart(safeText(text));

describe('matchedPart', () => {
  it('returns texts of up to 400 characters unchanged', () => {
    for (const text of ['', 'STOP', `harga${' '.repeat(300)}berapa`, 'x'.repeat(400)]) assert.deepEqual(part(text), { text, isAll: true });
  });

  it('collapses repeated decoration and letters in a longer text', () => {
    for (const tail of ['!', ' ', '\n', '😀', '👍🏽', '👨‍👩‍👧‍👦', '❤️', '\u0300', '\u200b', '!?', '😀😂 ']) {
      const { text, isAll } = part(`STOP${tail.repeat(500)}`);
      assert.ok(isAll && text.startsWith('STOP') && text.length <= 4 + 33, tail);
    }
    assert.deepEqual(part(`ST${'O'.repeat(500)}P`), { text: `ST${'O'.repeat(32)}P`, isAll: true });
  });

  it('returns the start of a longer text', () => {
    const { text, isAll } = part(`STOP ${'sending me the wrong colour '.repeat(20)}`);
    assert.deepEqual([text.length, isAll], [400, false]);
    const late = part(`STOP${' '.repeat(396)}sending me the wrong colour`);
    assert.deepEqual(late, { text: `STOP${' '.repeat(32)}sending me the wrong colour`, isAll: true });
  });

  it('never splits a character', () => {
    assert.ok(part(`a${'\u{20000}b'.repeat(300)}`).text.isWellFormed());
    assert.ok(part(`STOP ${'😀'.repeat(300)}`).text.isWellFormed());
  });

  it('uses little CPU time for every kind of text', () => {
    for (const [name, hostile] of hostileTexts(65_536)) {
      const text = safeText(hostile);
      const takes = Math.min(
        ...Array.from({ length: 3 }, () => {
          const before = process.threadCpuUsage().user;
          const found = matchedPart(text);
          assert.ok(found.text.length <= 400);
          return process.threadCpuUsage().user - before;
        }),
      );
      assert.ok(takes < 10_000, `${name}: ${takes} µs`);
    }
  });
});
