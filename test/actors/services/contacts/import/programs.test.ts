import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converted } from '../../../../../actors/services/contacts/import/convert.ts';
import type { LabelIndex } from '../../../../../actors/services/contacts/labels.ts';
import { type Read, readFile } from '../import-fixture.ts';
import { CARDS } from './cards.ts';
import { PROGRAMS } from './programs.ts';
import { SHEETS } from './sheets.ts';

const attributes = { all: () => [] } as unknown as LabelIndex['attributes'];

/** Returns the person of each row in the file's order, or why the row was not imported. */
const peopleIn = ({ contacts, errors }: Read): readonly string[] =>
  [...contacts.map(({ row, phone }) => [row, phone] as const), ...errors.map(({ row, code }) => [row, `${row}: ${code}`] as const)]
    .toSorted(([one], [other]) => one - other)
    .map(([, person]) => person);

describe('a contact file from another program', () => {
  for (const { program, lines, people, names, refusing } of [...PROGRAMS, ...SHEETS])
    it(`has every row either imported or reported with a reason (${program})`, async () => {
      const read = await readFile(`${lines.join('\r\n')}\r\n`, { attributes });
      assert.deepEqual(peopleIn(read), people);
      if (refusing) assert.deepEqual(read.refusing, refusing);
      if (names)
        assert.deepEqual(
          read.contacts.map(({ name }) => name),
          names,
        );
    });

  for (const { program, lines, encoding = 'utf8', people, names, tags = [], ignored = [] } of CARDS)
    it(`has every card either imported or reported with a reason (${program})`, async () => {
      const table = await converted('vcard', Buffer.from(`${lines.join('\r\n')}\r\n`, encoding));
      assert.ok('lines' in table);
      const read = await readFile(table.lines.join(''), { attributes, isConverted: true, others: table.others });
      assert.deepEqual(peopleIn(read), people);
      assert.deepEqual(
        read.contacts.map(({ name = '' }) => name),
        names,
      );
      assert.deepEqual([read.contacts.flatMap((contact) => contact.tags), read.ignored], [tags, ignored]);
    });
});

it("a workbook's title is not imported as a row", async () => {
  const rows = ['"3","Anna","+6281211110001","Jakarta"', '"5","Ben","+6281211110002","Medan"'];
  for (const title of ['"1","Customers of the shop","",""', '"1","Phone","",""', '"1","","Customers",""']) {
    const { contacts, errors } = await readFile([title, ...rows, ''].join('\n'), { attributes, isConverted: true });
    assert.deepEqual([contacts.map(({ row }) => row), errors], [[3, 5], []], title);
  }
});

it('a row of a file without a header is never mistaken for a header', async () => {
  for (const word of ['WhatsApp', 'Phone', 'Mobile']) {
    const lines = ['Anna,+6281211110001', 'Ben,+6281211110002', `${word},`, 'Dora,+6281211110003'];
    const people = peopleIn(await readFile(`${lines.join('\r\n')}\r\n`, { attributes })).join();
    for (const phone of ['6281211110001', '6281211110002', '6281211110003']) assert.ok(people.includes(phone), `${word}: ${people}`);
  }
});

it('a contact file is rejected if its column of phone numbers cannot be determined', async () => {
  for (const lines of [
    ['Buyer,Order', 'Anna,1000234567', 'Ben,1000234568'],
    ['Nama,Suami,Istri', 'Anna,081211110001,081211110002'],
  ])
    await assert.rejects(readFile(`${lines.join('\r\n')}\r\n`, { attributes }), { code: 'VALIDATION_FAILED' });
});
