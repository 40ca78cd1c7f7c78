import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { linearPattern } from '../../../../actors/services/auto-reply/regex.ts';
import judge from '../../../../actors/services/auto-reply/regex-worker.ts';

const corpus = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, 'corpus', `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n');

/** As long as a slow machine needs: how it is judged must not depend on the machine. */
const verdictOf = (source: string) => judge({ source, matchCase: false, timeoutMs: 60_000 });

/** What backtracking engines choke on. */
const CHOKING = ['a', 'ab', '0', ' ', 'x', 'aA', 'halo', '.', ',a', '-a'].map((part) => `${part.repeat(4_000).slice(0, 4_000)}!`);

describe('a regular expression of a rule', () => {
  it('is accepted when it is one that businesses write', () => {
    const patterns = corpus('ordinary');
    assert.ok(patterns.length >= 100);
    assert.deepEqual(
      patterns.filter((source) => verdictOf(source) !== 'safe'),
      [],
    );
  });

  it('is refused when it could take for ever, and if it were not would still be matched in linear time', () => {
    const patterns = corpus('evil');
    assert.ok(patterns.length >= 200);
    const accepted = patterns.filter((source) => verdictOf(source) === 'safe');
    // Quadratic ones, like `\\s+$`: everyday patterns are no better.
    assert.ok(accepted.length <= 15, `accepted: ${accepted.join('\n')}`);
    for (const source of patterns) for (const text of CHOKING) linearPattern(source, false)?.isIn(text);
  });

  it('means what JavaScript means by it', () => {
    const found = (source: string, text: string, matchCase = false) => linearPattern(source, matchCase)?.isIn(text);
    assert.deepEqual(
      [found('harga|price', 'The PRICE?'), found('harga|price', 'The PRICE?', true), found('^\\d{3}$', '123'), found('👍|🙏', 'ok 🙏')],
      [true, false, true, true],
    );
    assert.equal(found('(?<order>\\d+)', 'no. 7'), true);
    assert.equal(linearPattern('(a{1000}){1000}', false), null);
  });
});
