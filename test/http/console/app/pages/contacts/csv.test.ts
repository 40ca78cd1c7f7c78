import assert from 'node:assert/strict';
import { it } from 'node:test';
import { guessOf, headerOf, mapped } from '../../../../../../http/console/app/pages/contacts/csv.ts';

it('a file keeps its rows and gets the names that were chosen for its columns', () => {
  const text = '\uFEFF"Full\nname",Mobile,City\r\nAnna,1,Solo\n';
  const header = headerOf(text);
  assert.deepEqual([header.cells, header.separator], [['Full\nname', 'Mobile', 'City'], ',']);
  assert.equal(mapped(text, header, ['name', 'phone', '']), 'name,phone,left_out_3\nAnna,1,Solo\n');
  assert.deepEqual(headerOf('a;b;"c;d"'), { cells: ['a', 'b', 'c;d'], separator: ';', end: 9 });
});

it('names of columns are guessed as people write them', () => {
  assert.deepEqual(['Nomor HP', 'Full name', 'Nama depan', 'Labels', 'VAR 3', 'Kota'].map(guessOf), [
    'phone',
    'name',
    'first_name',
    'tags',
    'var3',
    '',
  ]);
});
