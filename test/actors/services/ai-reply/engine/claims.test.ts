import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claimsOf } from '../../../../../actors/services/ai-reply/engine/claims.ts';
import { readAnswer } from '../../../../../actors/services/ai-reply/engine/engine-answer.ts';
import { unmarked } from '../../../../../actors/services/ai-reply/engine/grounding.ts';
import { safeText } from '../../../../../runtime/safe-text.ts';
import { hostileTexts } from '../../../../support/hostile-texts.ts';

const cpuMs = (work: () => unknown): number => {
  const before = process.threadCpuUsage().user;
  work();
  return (process.threadCpuUsage().user - before) / 1_000;
};

it('the claim finder takes linear time, whatever the text', () => {
  for (const [name, hostile] of hostileTexts(2_500)) {
    const text = safeText(hostile);
    for (const reads of [claimsOf, unmarked]) {
      const takes = Math.min(...[1, 2, 3].map(() => cpuMs(() => reads(text))));
      assert.ok(takes < 50, `${name}: ${takes} ms`);
    }
  }
});

it("an engine's answer is parsed in linear time, even with unclosed reasoning tags", () => {
  assert.ok(Math.min(...[1, 2, 3].map(() => cpuMs(() => readAnswer('<think>'.repeat(37_000))))) < 25);
  assert.equal(readAnswer('<think>{"answer": "no"}</think>{"answer": "yes", "sources": [1]}<think>or no').answer, 'yes');
});

it('the claim finder detects plain, disguised and spaced-out links between long words', () => {
  const long = 'x'.repeat(3_000);
  for (const [text, link] of [
    ['https://toko-sari.co.id/promo', 'toko-sari.co.id/promo'],
    ['halo@toko-sari.co.id', 'halo@toko-sari.co.id'],
    ['toko_sari', 'toko_sari'],
    ['a.very.deep.name.of.a.shop.example', 'a.very.deep.name.of.a.shop.example'],
    ['toko [dot] com', 'toko.com'],
    ['t o k o . c o m', 'toko.com'],
  ] as const)
    assert.deepEqual([...claimsOf(safeText(`${long} ${text} ${long}`)).links], [link], text);
});
