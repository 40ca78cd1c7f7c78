import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { examples, HOMES, mobiles, outcome, outcomesOf } from './outcomes.ts';

const TABLE = join(import.meta.dirname, 'outcomes.txt');

const HEAD = [
  '# Outcomes of the reader of numbers: one example number of each type of each country, known to nobody.',
  '# Columns: country, number, types; then read at home: national form, +, 0 before the national number, 00, national number alone, digits;',
  '# then the countries from which the digits are not read as this number.',
  '# `=` the number itself, `?` ambiguous, `-` refused, digits: that number.',
  '# Write it again with UPDATE_TABLES=1 npm test test/actors/domain/numbers/outcomes.test.ts, and judge the diff.',
];

describe('the table of outcomes', () => {
  it('is as committed', () => {
    const lines = [...HEAD, ...examples.map(outcomesOf)];
    if (process.env['UPDATE_TABLES'] === '1') writeFileSync(TABLE, `${lines.join('\n')}\n`);
    assert.deepEqual(lines, readFileSync(TABLE, 'utf8').trimEnd().split('\n'));
    assert.ok(examples.length > 1_000);
  });

  it('has no stranger for the digits, + and 00 of a mobile of each country that the tenant knows, from any home', () => {
    const strangers = mobiles.flatMap(({ digits }) => {
      const known = new Set([digits]);
      return HOMES.flatMap(({ country, callingCode }) =>
        [digits, `+${digits}`, `00${digits}`]
          .map((text) => ({ country, text, said: outcome(text, callingCode, digits, known) }))
          .filter(({ said }) => said !== '='),
      );
    });
    assert.deepEqual(strangers, []);
  });
});
