import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConsentService } from '../../../../actors/services/consent/consent-service.ts';
import { newJob } from '../../../../actors/services/contacts/bulk-jobs.ts';
import { type ImportDeps, importStep, NOTHING_IMPORTED } from '../../../../actors/services/contacts/import/import-step.ts';
import { storeRows } from '../../../../actors/services/contacts/import/intake.ts';
import { readRows } from '../../../../actors/services/contacts/import/read-rows.ts';
import { contactsIn } from '../../../../store/contacts/contacts.ts';
import { importFilesIn } from '../../../../store/contacts/import-files.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import type { ImportJob } from '../../../../store/jobs/jobs.ts';
import { testConsentsIn } from '../../../support/consents.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { phoneNo } from './contacts-fixture.ts';
import { byForm } from './import-fixture.ts';

const ASKED = 1_000;

/** An import of these people, nobody doing it yet. */
async function anImport(scope: Scope, kind: StoreKind, people: readonly number[], optIn = false) {
  const store = await kind.fresh(scope);
  const nothing = async (): Promise<void> => {};
  const book = createConsentService({
    consents: testConsentsIn(store),
    eventLog: { record: nothing },
    cancelMarketing: nothing,
    complained: nothing,
    confirm: nothing,
  });
  const deps: ImportDeps = {
    contacts: contactsIn(store),
    identities: identitiesIn(store),
    standing: async () => new Map(),
    labels: labelsIn(store),
    files: importFilesIn(store),
    reader: { rows: async (_tenantId, part) => readRows(part) },
    async optIn(tenantId, phones, { asked, batch }, at) {
      await book.setAll(tenantId, phones, { status: 'opted_in', source: 'import', note: null, at, batch }, asked);
      return { lifted: await testConsentsIn(store).liftedBy(tenantId, phones, batch), kept: 0 };
    },
    optOut: nothing,
    readPeople: byForm,
  };
  await store.prepare();
  const rows = people.map((nth) => `${JSON.stringify({ phone: `+${phoneNo(nth)}`, name: `Person ${nth}` })}\n`).join('');
  const { id, offset, line, ...rest } = await storeRows(deps.files, 't1', [Buffer.from(rows)], ASKED);
  const file = { ...rest, callingCode: '62', optIn };
  const order = { kind: 'import', file, place: { offset, line }, tally: NOTHING_IMPORTED, errors: [] } as const;
  const job = newJob('t1', order, ASKED, id);
  assert.ok(job.kind === 'import');
  return { deps, book, job, consents: testConsentsIn(store) };
}

const after = (job: ImportJob, patch: object): ImportJob => ({ ...job, ...patch });

eachStore('an import step', (kind) => {
  it('returns the same counts when repeated, and keeps changes made in the meantime', async (t) => {
    const { deps, job } = await anImport(t, kind, [1, 2, 3, 2]);
    const first = await importStep(deps, job, ASKED);
    const [ben] = await deps.contacts.byPhones('t1', [phoneNo(2)]);
    await deps.contacts.change(ben!, { name: 'Renamed since' });
    const again = await importStep(deps, job, ASKED);
    assert.deepEqual(first.tally, { ...NOTHING_IMPORTED, total: 4, created: 3, updated: 1, merged: 1 });
    assert.deepEqual(again, first);
    assert.equal((await deps.contacts.byPhones('t1', [phoneNo(2)]))[0]?.name, 'Renamed since');
  });

  it('can be repeated at the end of the file, which is kept until all results are recorded', async (t) => {
    const { deps, job } = await anImport(t, kind, [1, 2]);
    const first = await importStep(deps, job, ASKED);
    assert.equal(first.status, undefined);
    assert.deepEqual(await importStep(deps, job, ASKED), first);
    const recorded = after(job, first);
    for (let times = 0; times < 2; times += 1) assert.deepEqual(await importStep(deps, recorded, ASKED), { status: 'done' });
    assert.equal((await deps.files.read(job._id, 0, 1)).length, 0);
  });

  it('fails if the file has expired', async (t) => {
    const { deps, job } = await anImport(t, kind, [1, 2]);
    await deps.files.remove(job._id, 1);
    await assert.rejects(importStep(deps, job, ASKED), /no longer exists/);
  });

  it('reports the same lifted opt-outs when repeated after a crash', async (t) => {
    const { deps, book, job } = await anImport(t, kind, [1, 2], true);
    await book.set('t1', phoneNo(1), { status: 'opted_out', source: 'api', note: null, at: ASKED - 10 });
    const first = await importStep(deps, job, ASKED + 5);
    assert.equal(first.tally?.opt_outs_lifted, 1);
    assert.deepEqual(await importStep(deps, job, ASKED + 20), first);
  });

  it('does not opt in a person who said STOP before the step was repeated', async (t) => {
    const { deps, book, job, consents } = await anImport(t, kind, [1, 2], true);
    assert.equal((await importStep(deps, job, ASKED + 5)).tally?.opted_in, 2);
    const stop = { status: 'opted_out', source: 'keyword', note: null, at: ASKED + 10, cause: 'a message' } as const;
    await book.receive('t1', phoneNo(2), stop);
    await importStep(deps, job, ASKED + 20);
    const statuses = await consents.statusOf('t1', [phoneNo(1), phoneNo(2)]);
    assert.deepEqual([statuses.get(phoneNo(1)), statuses.get(phoneNo(2))], ['opted_in', 'opted_out']);
    assert.equal((await consents.history('t1', phoneNo(1), 10)).length, 1);
  });
});
