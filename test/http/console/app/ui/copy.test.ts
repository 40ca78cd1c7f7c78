import assert from 'node:assert/strict';
import { it } from 'node:test';
import { copyText } from '../../../../../http/console/app/ui/copy.ts';

it('the copy button reports success only if the browser copied the text', async () => {
  const copied: string[] = [];
  const willing = { writeText: async (text: string): Promise<void> => void copied.push(text) };
  const unwilling = { writeText: () => Promise.reject(new Error('not allowed')) };
  assert.deepEqual(
    [await copyText('key', willing), await copyText('key', unwilling), await copyText('key', undefined), copied],
    [true, false, false, ['key']],
  );
});
