import assert from 'node:assert/strict';
import { it } from 'node:test';
import { guessOf, headerOf, LEFT_OUT, mapped, textOf } from '../../../../../../http/console/app/pages/contacts/csv.ts';

it('a file keeps its rows and gets the names that were chosen for its columns', () => {
  const text = textOf(Buffer.from('\uFEFF"Full\nname",Mobile,attr.city,Shoes\r\nAnna,1,Solo,41\n'));
  const header = headerOf(text);
  assert.deepEqual([header.cells, header.separator], [['Full\nname', 'Mobile', 'attr.city', 'Shoes'], ',']);
  assert.equal(mapped(text, header, ['name', 'phone', '', LEFT_OUT]), 'name,phone,attr.city,left_out_4\r\nAnna,1,Solo,41\n');
  assert.equal(mapped(text, header, ['', 'phone', '', '']).split('\r')[0], '"Full\nname",phone,attr.city,Shoes');
  assert.deepEqual(headerOf('a;b;"c;d"'), { cells: ['a', 'b', 'c;d'], separator: ';', start: 0, end: 9 });
});

it('a file is read in the encoding and with the separator that its spreadsheet wrote', () => {
  const text = 'Nama|HP\rRenée|1\r';
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const bytes of [Buffer.from(text), Buffer.from(text, 'latin1'), utf16, utf16.subarray(2), Buffer.from(utf16).swap16()])
    assert.equal(textOf(bytes), text);
  assert.deepEqual(headerOf(text), { cells: ['Nama', 'HP'], separator: '|', start: 0, end: 7 });
  const unusual = 'sep=^\nHP^"A^B"\n1^2';
  assert.equal(mapped(unusual, headerOf(unusual), ['phone', '']), 'sep=^\nphone^"A^B"\n1^2');
  const told = 'sep=;\r\nHP;A,B,C\n1;2';
  assert.equal(mapped(told, headerOf(told), ['phone', '']), 'sep=;\r\nphone;"A,B,C"\n1;2');
});

it('a column that was chosen for a field wins over one that is only named so', () => {
  const text = 'Phone,WA,Nama\n1,2,Anna\n';
  assert.equal(mapped(text, headerOf(text), ['', 'phone', '']), 'left_out_1,phone,Nama\n1,2,Anna\n');
});

it('names of columns that the gateway knows are guessed as it takes them', () => {
  assert.deepEqual(['Cell', 'Contact', 'Kelompok', 'Tanda', 'Given_Name'].map(guessOf), ['phone', 'name', 'group', 'tags', 'first_name']);
});

it('names of columns are guessed as people write them', () => {
  assert.deepEqual(['Nomor HP', 'Full name', 'Nama depan', 'Labels', 'VAR 3', 'Kota', 'Opt-in', 'attr.nickname'].map(guessOf), [
    'phone',
    'name',
    'first_name',
    'tags',
    'var3',
    '',
    'opt_in',
    '',
  ]);
});
