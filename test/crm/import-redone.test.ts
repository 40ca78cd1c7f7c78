import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newChore } from '../../actors/crm/chores.ts';
import { type ImportPorts, importStep } from '../../actors/crm/import/import-step.ts';
import { storeRows } from '../../actors/crm/import/intake.ts';
import { readRows } from '../../actors/crm/import/read-rows.ts';
import { contactsIn } from '../../store/contacts.ts';
import { importFilesIn } from '../../store/import-files.ts';
import { wordsIn } from '../../store/words.ts';
import { eachStore } from '../support/stores.ts';
import { phoneNo } from './office.ts';

const NOTHING_YET = { total: 0, created: 0, updated: 0, invalid: 0, opted_in: 0 };

eachStore('a step of an import', (kind) => {
  it('that is done again counts the same, and leaves alone what was changed since', async (t) => {
    const store = await kind.fresh(t);
    const files = importFilesIn(store);
    const ports: ImportPorts = {
      contacts: contactsIn(store),
      words: wordsIn(store),
      // The pieces stay: the process that dies has not come so far.
      files: { ...files, async remove() {} },
      reader: { rows: async (part) => readRows(part) },
      async optIn() {},
    };
    await store.prepare();
    const rows = [1, 2, 3, 2].map((nth) => `${JSON.stringify({ phone: `+${phoneNo(nth)}`, name: `Person ${nth}` })}\n`).join('');
    const { id, offset, line, ...rest } = await storeRows(files, 't1', Buffer.from(rows), 0);
    const order = {
      kind: 'import',
      file: { ...rest, callingCode: '62', optIn: false },
      place: { offset, line },
      tally: NOTHING_YET,
      errors: [],
    } as const;
    const chore = newChore('t1', order, 0, id);
    assert.ok(chore.kind === 'import');
    const first = await importStep(ports, chore, 0);
    const [ben] = await ports.contacts.byPhones('t1', [phoneNo(2)]);
    await ports.contacts.change(ben!, { name: 'Renamed since' });
    const again = await importStep(ports, chore, 0);
    assert.deepEqual(first.tally, { ...NOTHING_YET, total: 4, created: 3, updated: 1 });
    assert.deepEqual(again, first);
    assert.equal((await ports.contacts.byPhones('t1', [phoneNo(2)]))[0]?.name, 'Renamed since');
  });
});
