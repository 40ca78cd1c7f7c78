import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { readBody } from '../../../http/compat/streamed-body.ts';

const read = (...parts: readonly string[]) =>
  readBody(Readable.from(parts.map((part) => Buffer.from(part))), 1_000_000, async () => 'kept');

it('a streamed text of about 8 KB is parsed even if it is split across two chunks', { timeout: 10_000 }, async () => {
  for (const length of [8_191, 8_192, 8_193]) {
    const text = 'a b'.padEnd(length, 'x');
    const sent = JSON.stringify({ text, more: 'end' });
    for (const parts of [[sent], [sent.slice(0, 9 + length), sent.slice(9 + length)]])
      assert.deepEqual((await read(...parts)).value, { text, more: 'end' });
  }
});

it('a streamed body with many texts is passed on in a few large chunks', async () => {
  const many = Array.from({ length: 20_000 }, (_, nth) => `${nth}`);
  assert.deepEqual((await read(JSON.stringify(many))).value, many);
});
