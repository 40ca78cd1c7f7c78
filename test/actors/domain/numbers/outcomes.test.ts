import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { present } from '../../../../runtime/invariant.ts';
import { examples, HOMES, mobiles, outcome, outcomesOf } from './outcomes.ts';

const TABLE = join(import.meta.dirname, 'outcomes.txt');
const PREFIX_TABLE = join(import.meta.dirname, 'prefixes.txt');

/** Prefixes for calls abroad that people dial, by the country that they are in. */
const PREFIXES: Readonly<Record<string, string>> = {
  AU: '0011 0014',
  BR: '0014 0015 0021 0031 0041',
  CI: '00',
  FI: '00 999',
  GB: '00',
  HK: '001 002',
  ID: '00 001 007 008 01017',
  JP: '010',
  KE: '000',
  KR: '001 002 005 00700',
  MX: '00',
  NG: '009',
  SG: '001 002 008 018',
  US: '011',
};

const HEAD = [
  '# Outcomes of the reader of numbers: one example number of each type of each country, known to nobody.',
  '# Columns: country, number, types; then read at home: national form, +, 0 before the national number, 00, national number alone, digits;',
  '# then the countries from which the digits are not read as this number.',
  '# `=` the number itself, `?` ambiguous, `-` refused, digits: that number.',
  '# Write it again with UPDATE_TABLES=1 npm test test/actors/domain/numbers/outcomes.test.ts, and judge the diff.',
];

describe('the table of number readings', () => {
  it('matches the committed table', () => {
    const lines = [...HEAD, ...examples.map(outcomesOf)];
    if (process.env['UPDATE_TABLES'] === '1') writeFileSync(TABLE, `${lines.join('\n')}\n`);
    assert.deepEqual(lines, readFileSync(TABLE, 'utf8').trimEnd().split('\n'));
    assert.ok(examples.length > 1_000);
  });

  it('lists the foreign mobile numbers that cannot be read after an international prefix', () => {
    const lines = Object.entries(PREFIXES).flatMap(([home, prefixes]) => {
      const { callingCode } = present(
        HOMES.find(({ country }) => country === home),
        home,
      );
      const others = mobiles.filter(({ digits }) => !digits.startsWith(callingCode));
      return prefixes.split(' ').map((prefix) => {
        const said = others.map(({ country, digits }) => [country, outcome(prefix + digits, callingCode, digits)] as const);
        return [home, prefix, ...said.filter(([, read]) => read !== '=').map((one) => one.join(':'))].join(' ');
      });
    });
    const head = ['# Countries whose mobiles are not read behind a prefix for calls abroad, by home and prefix. Signs as in outcomes.txt.'];
    if (process.env['UPDATE_TABLES'] === '1') writeFileSync(PREFIX_TABLE, `${[...head, ...lines].join('\n')}\n`);
    assert.deepEqual([...head, ...lines], readFileSync(PREFIX_TABLE, 'utf8').trimEnd().split('\n'));
  });

  it('resolves known mobile numbers of every country, written as digits only or with + or 00', () => {
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
