import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { storeCsv } from '../../../../actors/services/contacts/import/intake.ts';
import type { LabelIndex } from '../../../../actors/services/contacts/labels.ts';
import { PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import { phoneNo } from './contacts-fixture.ts';
import { readFile, shelf } from './import-fixture.ts';

const nothingKnown = {
  attributes: {
    all: () => [
      { key: 'shoe', label: 'Shoe size' },
      { key: 'size', label: 'Größe' },
    ],
  },
} as unknown as LabelIndex;

const read = (file: Buffer | string) => readFile(file, nothingKnown);

const utf16 = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

const TABLE = [
  ['Name', 'WhatsApp', 'Shoe size'],
  ['Zoë; "the, great"', '0812-1111-0001', '38'],
  ['Größe\nzwei', '+62 812 1111 0002', ''],
];
const written = (separator: string, lineEnd: string): string =>
  TABLE.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator)).join(lineEnd) + lineEnd;

const FILES: Readonly<Record<string, Buffer | string>> = {
  'commas and CRLF': written(',', '\r\n'),
  'semicolons, as in Europe and Indonesia': written(';', '\r\n'),
  'tabs in UTF-16, "Unicode text"': utf16(written('\t', '\r\n')),
  'big-endian UTF-16': utf16(written(',', '\n'), true),
  'UTF-16 without a BOM': utf16(written(',', '\n')).subarray(2),
  'UTF-8 with a BOM': `\uFEFF${written(',', '\n')}`,
  'Windows-1252': Buffer.from(written(';', '\r\n'), 'latin1'),
  'old Mac line endings': written(',', '\r').replaceAll('\n', '\r'),
  'a line that names the separator': `sep=|\r\n${written('|', '\r\n')}`,
  'no final line ending': written(',', '\n').slice(0, -1),
};

describe('a contact list in CSV', () => {
  for (const [title, file] of Object.entries(FILES)) {
    it(`can be read with ${title}`, async () => {
      const { contacts, errors } = await read(file);
      assert.deepEqual(errors, []);
      assert.deepEqual(
        contacts.map(({ name, phone, attrs }) => [name?.replaceAll('\r', '\n'), phone, attrs]),
        [
          ['Zoë; "the, great"', '6281211110001', { shoe: '38' }],
          ['Größe\nzwei', '6281211110002', {}],
        ],
      );
    });
  }

  it('is read in parts up to its last row, with correct row numbers', async () => {
    const lines = Array.from({ length: 5_000 }, (_, nth) =>
      nth % 7 === 3 ? `"Two\nlines ${nth}",${phoneNo(nth)}` : `Größe ${nth},${nth === 4_321 ? 'bad' : phoneNo(nth)}`,
    );
    const file = `name,phone\n${lines.join('\n')}`;
    const { contacts, errors, parts } = await read(file);
    assert.ok(parts > 2);
    assert.deepEqual([contacts.length, errors.length], [4_999, 1]);
    const lineOf = (text: string): number => file.slice(0, file.indexOf(text)).split('\n').length;
    assert.equal(errors[0]?.row, lineOf('Größe 4321'));
    for (const { row, phone } of contacts.filter((_, nth) => nth % 500 === 0)) assert.ok(Math.abs(row - lineOf(phone)) <= 1, phone);
  });

  it('loses no row after an unclosed quote', async () => {
    const { contacts, errors } = await read(`name,phone\n5" screen,${phoneNo(1)}\n"open,${phoneNo(2)}\nBen,${phoneNo(3)}\n`);
    assert.deepEqual([contacts.length, errors.length], [3, 0]);
  });

  it('can contain a text with line breaks that is longer than one part', async () => {
    const note = `${'a line of a long note\n'.repeat(2_400)}${phoneNo(9)},Nobody\n`;
    assert.ok(note.length > PIECE_BYTES);
    const { contacts, errors } = await read(`phone,name\n${phoneNo(1)},"${note}"\n${phoneNo(2)},Ben\n`);
    assert.deepEqual(
      contacts.map(({ phone, name }) => [phone, name]),
      [[phoneNo(2), 'Ben']],
    );
    assert.deepEqual(
      errors.map(({ row, field }) => [row, field]),
      [[2, 'name']],
    );
  });

  it('loses no row even if 30,000 rows follow an unclosed quote', async () => {
    const many = Array.from({ length: 30_000 }, (_, nth) => `Ben ${nth},${phoneNo(nth)}\n`).join('');
    const { contacts, errors } = await read(`name,phone\n"open,${phoneNo(40_000)}\n${many}`);
    assert.deepEqual([contacts.length, errors.length], [30_001, 0]);
  });

  it('neither loses nor merges rows, wherever a large file has a stray quote', async () => {
    const rows = Array.from({ length: 2_000 }, (_, nth) => `"Person ${nth}, of ""Toko""",${phoneNo(nth)},"Jalan ${nth},\nJakarta"\n`);
    const plain = Array.from({ length: 13_000 }, (_, nth) => `Person ${nth},${phoneNo(nth + 2_000)},Jalan ${nth}\n`);
    const all = (at: number, stray: string, others: readonly string[], many: readonly string[]) =>
      ['name,phone,address\n', ...many.slice(0, at), stray, ...others, ...many.slice(at)].join('');
    const stray = `"open,${phoneNo(90_001)},Jalan\n`;
    const inch = `Screen,${phoneNo(90_002)},"5"" screen"\n`;
    const closing = `Shop 5",${phoneNo(90_003)},Jalan\n`;
    for (const [file, count] of [
      // Within the first part, at the beginning of a part of 384 KB, and in the last one.
      [all(700, stray, [inch], rows), 2_002],
      [all(7_000, stray, [], plain), 13_001],
      [all(0, stray, [], plain), 13_001],
      [all(12_990, stray, [], plain), 13_001],
      // A later quote would close it.
      [all(100, stray, [...plain.slice(0, 12_000), closing], plain.slice(12_000)), 13_002],
      [all(100, stray, ['Bad,,\n', closing], plain), 13_002],
    ] as const) {
      const { contacts, errors } = await read(file);
      const bad = file.includes('Bad,,') ? 1 : 0;
      assert.deepEqual([contacts.length, errors.length], [count, bad]);
      assert.equal(new Set(contacts.map(({ phone }) => phone)).size, count);
    }
  });

  it('is read correctly if the title above the header contains a stray quote', async () => {
    for (const title of ['Shop 5" screens', '"Customers', 'Customers of "us'])
      assert.equal((await read(`${title}\n\nname,phone\n"A, B",${phoneNo(1)}\n`)).contacts[0]?.name, 'A, B', title);
  });

  it('is read with only its first 500 named columns if there are thousands', async () => {
    const columns = Array.from({ length: 2_000 }, (_, nth) => `,attr.c${nth}`);
    const { form } = await storeCsv(shelf(), 't', Readable.from([Buffer.from(`phone${columns.join(',')}\n`)]), nothingKnown, 0);
    const named = form.columns.filter((column) => column !== null);
    assert.deepEqual([named.length, named[0], named.at(-1)], [500, 'phone', 'attr.c498']);
  });

  it('can have a header in Windows-1252', async () => {
    const { contacts } = await read(Buffer.from('phone;Größe\n081211110001;38\n', 'latin1'));
    assert.deepEqual(contacts[0]?.attrs, { size: '38' });
  });

  it('is rejected with advice if it is really a workbook', async () => {
    for (const start of ['504b030414000600', 'd0cf11e0a1b11ae1'])
      await assert.rejects(read(Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(9_000, 1)])), ({ details }) =>
        /or CSV, then import that/.test(JSON.stringify(details)),
      );
  });

  it('can contain all labels of an address book export', async () => {
    const { contacts } = await read('phone,labels\n081211110001,VIP ::: New customers\n');
    assert.deepEqual(contacts[0]?.tags, ['VIP', 'New customers']);
  });

  it('can contain numbers mangled by spreadsheets, and incomplete numbers are reported', async () => {
    const cells: readonly (readonly [string, string | RegExp])[] = [
      ["'081211110001", '6281211110001'],
      ['"=""081211110001"""', '6281211110001'],
      ['81211110001', '6281211110001'],
      ['6281211110001.0', '6281211110001'],
      ['6.281211110001E+12', '6281211110001'],
      ['"6,281211110001E+12"', '6281211110001'],
      ['62.812.1111.0001', '6281211110001'],
      ['tel:+62-812-1111-0001', '6281211110001'],
      ['\u200E+62\u00A0812\u00A01111\u00A00001\u200B', '6281211110001'],
      ['+62 (0)812-1111-0001', '6281211110001'],
      ['62 0812 1111 0001', '6281211110001'],
      ['٠٨١٢١١١١٠٠٠١', '6281211110001'],
      ['０８１２１１１１０００１', '6281211110001'],
      ['+۶۲ ۸۱۲ ۱۱۱۱ ۰۰۰۱', '6281211110001'],
      ['6.28121E+12', /scientific/],
      ['6.3E+12', /scientific/],
      ['0812-1111-0001 / 0812-1111-0002', '6281211110001'],
      ['n/a', /not a phone number/],
    ];
    for (const [cell, expected] of cells) {
      const { contacts, errors } = await read(`phone,name\n${cell},x\n`);
      if (typeof expected === 'string') assert.equal(contacts[0]?.phone, expected, cell);
      else assert.match(errors[0]?.error.en ?? '', expected, cell);
    }
  });
});
