import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seenOf, testOf } from '../../../../actors/services/auto-reply/rule-tests.ts';
import { safeText } from '../../../../runtime/safe-text.ts';
import { hostileTexts } from '../../../support/hostile-texts.ts';

type Kind = 'keyword' | 'contains' | 'regex';

const fits = (trigger_type: Kind, trigger_text: string, message: string): boolean =>
  testOf({ trigger_type, trigger_text, match_case: 0 })(seenOf(safeText(message)));

describe('rules for a message longer than 400 characters', () => {
  const words = 'kata lain '.repeat(60);

  it('match only its first 400 characters', () => {
    for (const kind of ['contains', 'regex'] as const) {
      assert.ok(fits(kind, 'harga', `Berapa HARGA nya? ${words}`));
      assert.ok(!fits(kind, 'harga', `${words} berapa harga nya?`));
      assert.ok(fits(kind, 'harga', `${' '.repeat(5_000)}${'😀'.repeat(5_000)} harga?`));
    }
  });

  it('match a keyword only if it is the whole message', () => {
    assert.ok(fits('keyword', 'menu', `  Menu${' '.repeat(5_000)}`));
    assert.ok(!fits('keyword', 'menu', `menu ${words}`));
    const long = words.slice(0, 400);
    assert.ok(fits('keyword', long, long));
    assert.ok(!fits('keyword', long, `${long}${words}`));
  });

  it('do not treat the 400th character as the end of the message', () => {
    assert.ok(!fits('regex', '^(kata lain ?)+$', `${words}dan sebagainya`));
    assert.ok(fits('regex', '^kata.*$', words));
  });

  it('are tested in short ticks, whatever the text', () => {
    const tests = (['keyword', 'contains', 'regex'] as const).map((trigger_type) =>
      testOf({ trigger_type, trigger_text: trigger_type === 'regex' ? '(harga|price).*\\d+$' : 'harga', match_case: 0 }),
    );
    for (const [name, text] of hostileTexts(65_536)) {
      const message = safeText(text);
      const takes = [1, 2, 3].map(() => {
        const before = process.threadCpuUsage().user;
        const seen = seenOf(message);
        for (const test of tests) test(seen);
        return process.threadCpuUsage().user - before;
      });
      assert.ok(Math.min(...takes) < 25_000, `${name}: ${Math.min(...takes)} µs`);
    }
  });
});
