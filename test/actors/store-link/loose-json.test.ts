import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSafeNumber, parse } from 'lossless-json';
import { parseBody, timeAt } from '../../../actors/store-link/behaviour/loose-json.ts';
import { leastOfThree } from '../../support/turns.ts';

const NUMBERS = [
  ...['0', '-0', '1', '-1', '19.90', '0.10', '-275000.00', '123456789012345', '1234567890123.45', '0.00000000000001'],
  ...['9007199254740993', '-820982911946154508', '123456789.123456789', '0.30000000000000000004', '1e5', '1E400', '-1e-400', '1.5e+3'],
];
const PLACES = [
  '$',
  '[$]',
  '[1,$]',
  '[1, $]',
  '{"id":$}',
  '{"id": $,"a":[]}',
  '{"id":\n$\n}',
  '{"a":[{"b":{"c":$}}],"id":1}',
  '{"t":"\\\\\\"1e5, 12345678901234567890","id":$}',
];

it("a number in a shop's webhook keeps its value, or its digits if a double cannot hold it", () => {
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

const TWO_MB = 2 * 1024 * 1024 - 100;

it("a shop's webhook of two megabytes is parsed within 50 ms, whatever it contains", async () => {
  const line = {
    id: 13_000_000_001,
    price: '12.00',
    price_set: { shop_money: { amount: '12.00', currency_code: 'IDR' } },
    tax_lines: [{ rate: 0.1 }],
  };
  const bodies: Readonly<Record<string, string>> = {
    order: JSON.stringify({ id: 1e20, line_items: Array.from({ length: 2_000 }, () => line) }),
    lists: '['.repeat(TWO_MB),
    'empty lists': `[${'[],'.repeat(TWO_MB / 3)}1]`,
    objects: `{"a":[${'{"b":1},'.repeat(TWO_MB / 8)}1]}`,
    keys: `{${Array.from({ length: 99_000 }, (_, nth) => `"k${nth}":1`).join()}}`,
    numbers: `[${'1,'.repeat(TWO_MB / 2)}1]`,
    digits: '1'.repeat(TWO_MB),
    exponents: `[${'1e5,'.repeat(TWO_MB / 4)}1]`,
    escapes: `["${'\\u0000'.repeat(TWO_MB / 6)}", 1e5]`,
    quotes: `[1e5, "${'\\"'.repeat(TWO_MB / 2)}`,
    dots: `${'0.'.repeat(TWO_MB / 2)}e`,
  };
  for (const [name, body] of Object.entries(bodies)) {
    const ms = await leastOfThree(async () => {
      try {
        parseBody(body);
      } catch {
        // What is no JSON, or too much of it, is ignored.
      }
    });
    assert.ok(ms < 50, `${name}: ${ms} ms`);
  }
});

it('a date of two megabytes is rejected as invalid without being parsed', async () => {
  const body = { at: 'a '.repeat(TWO_MB / 2) };
  const ms = await leastOfThree(async () => assert.equal(timeAt(body, 'at'), null));
  assert.ok(ms < 25, `${ms} ms`);
  assert.equal(timeAt({ at: '2026-01-02T03:04:05' }, 'at'), Date.UTC(2026, 0, 2, 3, 4, 5));
});
