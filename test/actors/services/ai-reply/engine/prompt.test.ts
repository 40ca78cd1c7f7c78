import assert from 'node:assert/strict';
import { it } from 'node:test';
import { promptOf } from '../../../../../actors/services/ai-reply/engine/prompt.ts';

it('the prompt builder never splits a character when it truncates a long text', () => {
  const long = `${'a'.repeat(499)}😀`;
  const passages = [{ name: long, text: `${'b'.repeat(2_499)}😀` }];
  const history = [{ isOurs: false, text: long }];
  const prompt = promptOf({ persona: long, language: 'en', passages, history, question: '😀?', marker: '====' });
  assert.deepEqual(
    prompt.map(({ content }) => content.isWellFormed()),
    [true, true],
  );
  assert.match(prompt[1]?.content ?? '', /😀\?/);
});
