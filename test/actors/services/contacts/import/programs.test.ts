import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LabelIndex } from '../../../../../actors/services/contacts/labels.ts';
import { readFile } from '../import-fixture.ts';
import { PROGRAMS } from './programs.ts';
import { SHEETS } from './sheets.ts';

const attributes = { all: () => [] } as unknown as LabelIndex['attributes'];

describe('a contact file from another program', () => {
  for (const { program, lines, people, names, refusing } of [...PROGRAMS, ...SHEETS])
    it(`has every row from ${program} imported or reported with a reason`, async () => {
      const { contacts, errors, refusing: refused } = await readFile(`${lines.join('\r\n')}\r\n`, { attributes });
      const read = [
        ...contacts.map(({ row, phone }) => [row, phone] as const),
        ...errors.map(({ row, code }) => [row, `${row}: ${code}`] as const),
      ];
      assert.deepEqual(
        read.toSorted(([one], [other]) => one - other).map(([, person]) => person),
        people,
      );
      if (refusing) assert.deepEqual(refused, refusing);
      if (names)
        assert.deepEqual(
          contacts.map(({ name }) => name),
          names,
        );
    });
});
