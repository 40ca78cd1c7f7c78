import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embedded } from '../../../support/stores.ts';
import { anXlsx, rowsOf, workbookOf } from '../ai-reply/reading/files.ts';
import { anAddressBook, phoneNo } from './contacts-fixture.ts';

const CSV = { 'content-type': 'text/csv' };
const FORM = { 'content-type': 'multipart/form-data; boundary=b' };
const IMPORT = '/v1/contacts/import';
const PREVIEW = `${IMPORT}/preview`;

const aForm = (file: string, fields: Readonly<Record<string, string>>): string =>
  [
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${file}\r\n`,
    ...Object.entries(fields).map(([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    '--b--\r\n',
  ].join('');

const CARDS = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'N:Lee;Anna;;;',
  'FN:Anna Lee',
  'ORG:Acme\\, Inc.;Sales',
  'item1.TEL;type=HOME;type=VOICE:021-5550101',
  'TEL;type=CELL;type=pref:+62 812-1000-0001',
  'CATEGORIES:VIP,New',
  'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD',
  ' BEGIN:VCARD',
  ' TEL:+6281299999999',
  'END:VCARD',
  'BEGIN:VCARD',
  'VERSION:2.1',
  'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;Zo=C3=AB=',
  ' Ben;;;',
  'TEL;CELL;waid=6281210000002:0812 1000 0002',
  'ADR;HOME:;;Street 1;Kuala Lumpur;;;Malaysia',
  'END:VCARD',
  'BEGIN:VCARD',
  'VERSION:4.0',
  'FN:Nobody',
  'EMAIL:n@example.com',
  'END:VCARD',
].join('\r\n');

describe('a contact file', () => {
  it('is rejected if a form field is misspelled, and is accepted with the documented fields', async (t) => {
    const { ask } = await anAddressBook(t, embedded);
    const file = `phone,name\n+${phoneNo(1)},Anna\n`;
    const { details } = await ask(400, 'POST', IMPORT, aForm(file, { optin: 'true', column: '{}', source: 'fair' }), FORM);
    assert.deepEqual(
      details.map(({ message }: { message: string }) => message),
      [
        'optin is not a known field; did you mean opt_in?',
        'column is not a known field; did you mean columns?',
        'source is not a known field',
      ],
    );
    await ask(202, 'POST', IMPORT, aForm(file, { opt_in: 'true', columns: '{}', bare_numbers: 'national' }), FORM);
  });

  it('is previewed with columns, first contacts and problems, without storing anything', async (t) => {
    const { ask } = await anAddressBook(t, embedded);
    const file = [
      'Customers of May,,,',
      'Name,Phone,Shoe size,Status',
      `Anna,+${phoneNo(1)},38,opted_out`,
      'Aiko,819012345678,39,',
      ',,,',
      'Ben,nobody,40,',
      ...Array.from({ length: 9 }, (_, nth) => `Person ${nth},+${phoneNo(10 + nth)},41,`),
    ].join('\n');
    const { columns, rows, first, problems } = await ask(200, 'POST', PREVIEW, file, CSV);
    assert.deepEqual(
      columns.map(({ header, as, samples }: { header: string; as: string | null; samples: string[] }) => [header, as, samples]),
      [
        ['Name', 'name', ['Anna', 'Aiko', 'Ben']],
        ['Phone', 'phone', [`+${phoneNo(1)}`, '819012345678', 'nobody']],
        ['Shoe size', null, ['38', '39', '40']],
        ['Status', 'consent', ['opted_out']],
      ],
    );
    assert.equal(rows, 12);
    assert.deepEqual([first.length, first[0].phone, first[0].name, first[0].consent], [5, phoneNo(1), 'Anna', 'opted_out']);
    const wrong = problems.map(({ row, field, code, readings }: Record<string, unknown>) => [row, field, code, readings]);
    assert.deepEqual(wrong, [
      [4, 'phone', 'ambiguous_number', ['+62819012345678', '+819012345678']],
      [6, 'phone', 'invalid_number', undefined],
    ]);
    assert.deepEqual((await ask(200, 'GET', '/v1/contacts')).contacts, []);
    const unnamed = await ask(200, 'POST', PREVIEW, 'a,b\n1,2\n', CSV);
    assert.deepEqual([unnamed.problems[0].code, unnamed.columns.length, unnamed.rows], ['no_phone_column', 2, 1]);
    const withoutHeader = await ask(200, 'POST', PREVIEW, `Anna,+${phoneNo(1)},7\nBen,+${phoneNo(2)},8\n`, CSV);
    assert.deepEqual(
      withoutHeader.columns.map(({ header, as, samples }: { header: string; as: string | null; samples: string[] }) => [
        header,
        as,
        samples,
      ]),
      [
        ['A', 'name', ['Anna', 'Ben']],
        ['B', 'phone', [`+${phoneNo(1)}`, `+${phoneNo(2)}`]],
        ['C', null, ['7', '8']],
      ],
    );
    assert.deepEqual([withoutHeader.rows, withoutHeader.first.length, withoutHeader.problems], [2, 2, []]);
    const twoNumbers = await ask(200, 'POST', PREVIEW, `+${phoneNo(1)},+${phoneNo(2)}\n`, CSV);
    assert.deepEqual([twoNumbers.problems[0].code, twoNumbers.rows], ['no_phone_column', 1]);
  });

  it('is imported with the selected columns, and with the selected country for numbers without a country code', async (t) => {
    const { ask, done } = await anAddressBook(t, embedded);
    const file = 'Who,Where,Reach,Phone,__proto__\nAiko,Tokyo,819012345678,x,y\n';
    const columns = JSON.stringify({ Who: 'name', Where: 'attr.city', Reach: 'phone', Phone: null });
    const { id } = await ask(202, 'POST', IMPORT, aForm(file, { columns, bare_numbers: 'international', opt_in: 'true' }), FORM);
    const { decisions, ignored, errors, opted_in } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([errors, opted_in, ignored], [[], 1, ['Phone', '__proto__']]);
    assert.deepEqual(decisions, [
      { column: 'Who', as: 'name' },
      { column: 'Where', as: 'attr.city' },
      { column: 'Reach', as: 'phone' },
    ]);
    const [aiko] = (await ask(200, 'GET', '/v1/contacts')).contacts;
    assert.deepEqual([aiko.phone, aiko.name, aiko.attrs], ['819012345678', 'Aiko', { city: 'Tokyo' }]);
    const unnamed = aForm(`+${phoneNo(1)},+${phoneNo(2)}\n`, { columns: JSON.stringify({ B: 'phone' }) });
    const { created } = await done(`/v1/contacts/imports/${(await ask(202, 'POST', IMPORT, unnamed, FORM)).id}`);
    assert.deepEqual([created, (await ask(200, 'GET', '/v1/contacts')).contacts[0].phone], [1, phoneNo(2)]);
    // Of somebody who is not known by these digits yet.
    const other = file.replace('819012345678', '819012345679');
    const previewed = await ask(200, 'POST', PREVIEW, aForm(other, { columns, bare_numbers: 'national' }), FORM);
    assert.deepEqual([previewed.first[0].phone, previewed.problems], ['62819012345679', []]);
    for (const wrong of [{ columns: '[1]' }, { columns: '{"Who": "shoes"}' }, { bare_numbers: 'both' }, { opt_in: 'perhaps' }])
      assert.equal((await ask(400, 'POST', IMPORT, aForm(file, wrong), FORM)).code, 'VALIDATION_FAILED');
  });

  it('is matched to known contacts if it contains phone numbers as the gateway shows them', async (t) => {
    const { ask, done, add } = await anAddressBook(t, embedded);
    const aiko = await add('+819012345678', { name: 'Aiko' });
    const { id } = await ask(202, 'POST', IMPORT, `phone,name\n${aiko.phone},Aiko again\n`, CSV);
    const { created, updated, errors } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([created, updated, errors], [0, 1, []]);
    assert.equal((await ask(200, 'GET', '/v1/contacts')).contacts[0].name, 'Aiko again');
  });

  it('can be a workbook', async (t) => {
    const { ask, done } = await anAddressBook(t, embedded);
    const workbook = anXlsx([
      ['Daftar pelanggan', ''],
      ['Nama', 'No HP'],
      ['Anna', `0${phoneNo(1).slice(2)}`],
      ['Ben', 'x'],
    ]);
    const type = { 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' };
    const previewed = await ask(200, 'POST', PREVIEW, workbook, type);
    assert.deepEqual([previewed.rows, previewed.first[0].phone, previewed.first[0].name], [2, phoneNo(1), 'Anna']);
    const { id } = await ask(202, 'POST', IMPORT, workbook, type);
    const { created, errors } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([created, errors.map(({ row, code }: { row: number; code: string }) => [row, code])], [1, [[4, 'invalid_number']]]);
    assert.match((await ask(400, 'POST', IMPORT, Buffer.from('504b0304ffff', 'hex'), type)).error, /damaged|cannot be read/);
  });

  it('can be a workbook with several sheets, and the skipped sheets are listed', async (t) => {
    const { ask, done } = await anAddressBook(t, embedded);
    const workbook = workbookOf({
      Harga: rowsOf([['Barang', 'Harga']]),
      Pelanggan: rowsOf([
        ['Nama', 'No HP', 'Hobi'],
        ['Anna', `0${phoneNo(1).slice(2)}`, 'Catur'],
      ]),
      Lama: rowsOf([
        ['Nama', 'No HP'],
        ['Ben', `0${phoneNo(2).slice(2)}`],
      ]),
      Kosong: '',
    });
    const type = { 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' };
    const { id } = await ask(202, 'POST', IMPORT, workbook, type);
    const { created, ignored } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([created, ignored], [1, ['Hobi', 'Harga', 'Lama']]);
  });

  it('can be a vCard file', async (t) => {
    const { ask, done } = await anAddressBook(t, embedded);
    const type = { 'content-type': 'text/vcard' };
    const { id } = await ask(202, 'POST', IMPORT, CARDS, type);
    const { created, errors, ignored } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([created, ignored], [2, ['EMAIL', 'ORG', 'PHOTO']]);
    assert.deepEqual(
      errors.map(({ row, code }: { row: number; code: string }) => [row, code]),
      [[20, 'empty']],
    );
    const { contacts } = await ask(200, 'GET', '/v1/contacts');
    const shown = contacts.map(({ phone, name, tags }: { phone: string; name: string; tags: string[] }) => [phone, name, tags]);
    assert.deepEqual(shown.toReversed(), [
      [phoneNo(1), 'Anna Lee', ['VIP', 'New']],
      ['6281210000002', 'ZoëBen', []],
    ]);
  });

  it('can contain an overlong row, which is reported without affecting later rows', async (t) => {
    const { ask, done } = await anAddressBook(t, embedded);
    const long = 'x'.repeat(618_000);
    const quoted = `"${'line, with ""quotes""\n'.repeat(30_000)}"`;
    const file = [
      'Name,Phone,Note',
      `Anna,+${phoneNo(1)},short`,
      `Ben,+${phoneNo(2)},${long}`,
      `Cut,+${phoneNo(3)},${quoted}`,
      `Dora,+${phoneNo(4)},"not closed`,
      `Emil,+${phoneNo(5)},pipe`,
      `${'7'.repeat(618_000)},+${phoneNo(6)},last`,
    ].join('\n');
    const { first, problems, rows } = await ask(200, 'POST', PREVIEW, file, CSV);
    const { errors, ...result } = await done(`${IMPORT}s/${(await ask(202, 'POST', IMPORT, file, CSV)).id}`);
    assert.deepEqual(
      errors.map(({ row, field, code }: Record<string, unknown>) => [row, field, code]),
      [
        [3, 'row', 'row_too_long'],
        [4, 'row', 'row_too_long'],
        [30_007, 'row', 'row_too_long'],
      ],
    );
    assert.deepEqual(problems, errors);
    assert.deepEqual(
      first.map(({ phone }: { phone: string }) => phone),
      [1, 4, 5].map(phoneNo),
    );
    assert.deepEqual([rows, result.total, result.created, result.invalid, result.status], [6, 6, 3, 3, 'done']);
    const { contacts } = await ask(200, 'GET', '/v1/contacts');
    assert.deepEqual(contacts.map(({ name }: { name: string }) => name).toSorted(), ['Anna', 'Dora', 'Emil']);
  });

  it('can contain overlong numbers, which are reported', async (t) => {
    const { ask, done } = await anAddressBook(t, embedded);
    const rows = Array.from({ length: 12 }, (_, nth) => `Person ${nth},${'8'.repeat(300_000 + nth)},${'9'.repeat(5_000)}`);
    const file = ['Name,Phone,Mobile', ...rows, `Anna,+${phoneNo(1)},`].join('\n');
    const { problems, first } = await ask(200, 'POST', PREVIEW, file, CSV);
    const { errors, ...result } = await done(`${IMPORT}s/${(await ask(202, 'POST', IMPORT, file, CSV)).id}`);
    assert.deepEqual([result.status, result.created, result.invalid], ['done', 1, 12]);
    assert.deepEqual(new Set(errors.map(({ row }: { row: number }) => row)), new Set(rows.map((_row, nth) => nth + 2)));
    assert.deepEqual([problems, first.length], [errors, 1]);
  });
});
