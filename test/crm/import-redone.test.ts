import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConsentBook } from '../../actors/consent/book.ts';
import { newChore } from '../../actors/crm/chores.ts';
import { type ImportPorts, importStep } from '../../actors/crm/import/import-step.ts';
import { storeRows } from '../../actors/crm/import/intake.ts';
import { readRows } from '../../actors/crm/import/read-rows.ts';
import type { ImportChore } from '../../store/chores.ts';
import { consentsIn } from '../../store/consents.ts';
import { contactsIn } from '../../store/contacts.ts';
import { importFilesIn } from '../../store/import-files.ts';
import { wordsIn } from '../../store/words.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';
import { phoneNo } from './office.ts';

const NOTHING_YET = { total: 0, created: 0, updated: 0, invalid: 0, opted_in: 0 };
const ASKED = 1_000;

/** An import of these people, nobody doing it yet. */
async function anImport(scope: Scope, kind: StoreKind, people: readonly number[], optIn = false) {
  const store = await kind.fresh(scope);
  const nothing = async (): Promise<void> => {};
  const book = createConsentBook({ consents: consentsIn(store), eventLog: { record: nothing }, withhold: nothing, confirm: nothing });
  const ports: ImportPorts = {
    contacts: contactsIn(store),
    words: wordsIn(store),
    files: importFilesIn(store),
    reader: { rows: async (part) => readRows(part) },
    optIn: async (tenantId, phones, asked, at) =>
      void (await book.setAll(tenantId, phones, { status: 'opted_in', source: 'import', note: null, at }, asked)),
  };
  await store.prepare();
  const rows = people.map((nth) => `${JSON.stringify({ phone: `+${phoneNo(nth)}`, name: `Person ${nth}` })}\n`).join('');
  const { id, offset, line, ...rest } = await storeRows(ports.files, 't1', Buffer.from(rows), ASKED);
  const file = { ...rest, callingCode: '62', optIn };
  const order = { kind: 'import', file, place: { offset, line }, tally: NOTHING_YET, errors: [] } as const;
  const chore = newChore('t1', order, ASKED, id);
  assert.ok(chore.kind === 'import');
  return { ports, book, chore, consents: consentsIn(store) };
}

const after = (chore: ImportChore, patch: object): ImportChore => ({ ...chore, ...patch });

eachStore('a step of an import', (kind) => {
  it('that is done again counts the same, and leaves alone what was changed since', async (t) => {
    const { ports, chore } = await anImport(t, kind, [1, 2, 3, 2]);
    const first = await importStep(ports, chore, ASKED);
    const [ben] = await ports.contacts.byPhones('t1', [phoneNo(2)]);
    await ports.contacts.change(ben!, { name: 'Renamed since' });
    const again = await importStep(ports, chore, ASKED);
    assert.deepEqual(first.tally, { ...NOTHING_YET, total: 4, created: 3, updated: 1 });
    assert.deepEqual(again, first);
    assert.equal((await ports.contacts.byPhones('t1', [phoneNo(2)]))[0]?.name, 'Renamed since');
  });

  it('that is the last can be done again too: the file goes only when all of it is recorded', async (t) => {
    const { ports, chore } = await anImport(t, kind, [1, 2]);
    const first = await importStep(ports, chore, ASKED);
    assert.equal(first.status, undefined);
    assert.deepEqual(await importStep(ports, chore, ASKED), first);
    const recorded = after(chore, first);
    for (let times = 0; times < 2; times += 1) assert.deepEqual(await importStep(ports, recorded, ASKED), { status: 'done' });
    assert.equal((await ports.files.read(chore._id, 0)).length, 0);
  });

  it('that is done again opts nobody in who said STOP meanwhile', async (t) => {
    const { ports, book, chore, consents } = await anImport(t, kind, [1, 2], true);
    assert.equal((await importStep(ports, chore, ASKED + 5)).tally?.opted_in, 2);
    const stop = { status: 'opted_out', source: 'keyword', note: null, at: ASKED + 10, cause: 'a message' } as const;
    await book.hear('t1', phoneNo(2), stop);
    await importStep(ports, chore, ASKED + 20);
    const statuses = await consents.statusOf('t1', [phoneNo(1), phoneNo(2)]);
    assert.deepEqual([statuses.get(phoneNo(1)), statuses.get(phoneNo(2))], ['opted_in', 'opted_out']);
    assert.equal((await consents.history('t1', phoneNo(1), 10)).length, 1);
  });
});
