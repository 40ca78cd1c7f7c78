import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { openNumber } from '../../../../actors/domain/numbers/read-number.ts';
import { HOMES } from './outcomes.ts';

const ROOT = join(import.meta.dirname, '../../../..');

it('the number parser reads every example in the documentation as documented', () => {
  const rows = [...readFileSync(join(ROOT, 'docs/numbers.md'), 'utf8').matchAll(/^\| ([A-Z]{2}) +\| `(.+?)` +\| (.+?) *\|$/gm)];
  for (const [, country, written = '', expected] of rows) {
    const home = HOMES.find((one) => one.country === country);
    const read = openNumber(written, { callingCode: home?.callingCode ?? null }).decide(new Set());
    const numbers = read.kind === 'number' ? [read.digits] : read.kind === 'ambiguous' ? read.readings : null;
    assert.equal(numbers?.map((digits) => `\`+${digits}\``).join(' or ') ?? 'refused', expected, written);
  }
  assert.equal(rows.length, 28);
});
