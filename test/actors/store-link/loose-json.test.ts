import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSafeNumber, parse } from 'lossless-json';
import { parseBody } from '../../../actors/store-link/behaviour/loose-json.ts';

const NUMBERS = [
  ...['0', '-0', '1', '-1', '19.90', '0.10', '-275000.00', '123456789012345', '1234567890123.45', '0.00000000000001'],
  ...['9007199254740993', '-820982911946154508', '123456789.123456789', '0.30000000000000000004', '1e5', '1E400', '-1e-400', '1.5e+3'],
];
const PLACES = ['$', '[$]', '[1,$]', '[1, $]', '{"id":$}', '{"id": $,"a":[]}', '{"id":\n$\n}', '{"a":[{"b":{"c":$}}],"id":1}'];

it('a number of a store’s body is the number that it sent, or its digits where a double cannot hold them, wherever it stands', () => {
  // What the library that keeps every digit makes of it.
  const exact = (raw: string): unknown =>
    parse(raw, undefined, { parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : digits) });
  const plain = (value: unknown): string => JSON.stringify(value);
  for (const number of NUMBERS) {
    for (const place of PLACES) {
      const raw = place.replace('$', number);
      assert.equal(plain(parseBody(raw)), plain(exact(raw)), raw);
    }
  }
});
