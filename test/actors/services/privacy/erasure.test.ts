import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newCampaign } from '../../../../actors/services/campaigns/campaigns.ts';
import { invalidRecipientOf, recipientOf, UNNAMED } from '../../../../actors/services/campaigns/recipient-rows.ts';
import { newJob } from '../../../../actors/services/contacts/bulk-jobs.ts';
import { type ImportDeps, importStep, NOTHING_IMPORTED } from '../../../../actors/services/contacts/import/import-step.ts';
import { storeRows } from '../../../../actors/services/contacts/import/intake.ts';
import { readRows } from '../../../../actors/services/contacts/import/read-rows.ts';
import { newId } from '../../../../runtime/ids.ts';
import { campaignsIn } from '../../../../store/campaigns/campaigns.ts';
import { draftReservationsIn } from '../../../../store/campaigns/draft-reservations.ts';
import { recipientsIn } from '../../../../store/campaigns/recipients.ts';
import { contactsIn } from '../../../../store/contacts/contacts.ts';
import { importFilesIn } from '../../../../store/contacts/import-files.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { type ChatRow, chatsSpec } from '../../../../store/conversations/chats.ts';
import { openEmbedded } from '../../../../store/engines/embedded/embedded.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { type JobRow, jobsIn } from '../../../../store/jobs/jobs.ts';
import type { Doc, Store } from '../../../../store/port.ts';
import { hooksOf } from '../../../../store/store-links/hooks.ts';
import { ranDuring } from '../../../store/engines/visited-rows.ts';
import { aGateway, PHONE } from '../../../support/gateway.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { aDirectory, eachStore, type Scope } from '../../../support/stores.ts';
import { byForm } from '../contacts/import-fixture.ts';
import { DORA, endlessSegments, erasingOn, received, remembering, sealer } from './erasure-fixture.ts';

const OTHER = '6281255550005';

eachStore('erasures', (kind) => {
  it('alternate between tenants, wait for holds, and remove encrypted data too', async (t) => {
    const remembered = remembering(kind);
    const { store, clock } = await aGateway(t, { kind: remembered.kind });
    const now = clock.now();
    const finished: string[] = [];
    const { erasing, erasures } = erasingOn(store, [...remembered.opened.keys()], Buffer.alloc(32), {
      record: async (tenantId) => void finished.push(tenantId),
    });
    const rowsOf = (name: string) => store.collection<Doc & Readonly<Record<string, unknown>>>({ name, indexes: [] });

    // One with many keeps no other waiting.
    for (let nth = 0; nth < 3; nth += 1) await erasing.begin('BUSY', `628124444${1000 + nth}`, now + nth);
    await erasing.begin('QUIET', DORA, now + 100);
    await erasing.continueAll(now + 200);
    assert.equal(finished.length, 4);
    assert.ok(finished.indexOf('QUIET') <= 1, `after ${finished.indexOf('QUIET')} of the other's`);

    // A hold that is put while one goes on stops it; its end lets it go on.
    const { _id } = await erasing.begin('HELD', DORA, now);
    await rowsOf('privacy_holds').insertOne({ _id: 'HELD:*', tenant_id: 'HELD', reason: 'a claim', until: now + 1e9, created_at: now });
    await erasing.continueAll(now);
    const stopped = await erasures.find('HELD', _id);
    assert.deepEqual([stopped?.open, stopped?.step], [true, 0]);
    await rowsOf('privacy_holds').deleteOne({ _id: 'HELD:*' });
    await erasing.continueAll(now + 61_000);
    assert.equal((await erasures.find('HELD', _id))?.open, false);

    // A hold that is put while one is asked for refuses it, and nothing of it is left.
    const putAHold = () =>
      rowsOf('privacy_holds').insertOne({ _id: 'LATE:*', tenant_id: 'LATE', reason: 'a claim', until: now + 1e9, created_at: now });
    const interrupted = interruptedStore(store, { name: 'privacy_holds', reading: 'find' }, putAHold);
    const { erasing: late } = erasingOn(interrupted, remembered.opened.keys(), Buffer.alloc(32));
    await assert.rejects(late.begin('LATE', DORA, now), { code: 'CONFLICT' });
    assert.equal(await rowsOf('privacy_erasures').countDocuments({ tenant_id: 'LATE' }), 0);

    // A list that is being stored may name them.
    const lists = draftReservationsIn(store);
    const { rev } = await lists.reserved('LISTING', now + 61_000);
    assert.ok(await lists.reserve('LISTING', 'one_list', { drafts: 0, recipients: 250 }, rev, now + 61_000));
    const listed = await erasing.begin('LISTING', DORA, now);
    await erasing.continueAll(now + 61_000);
    assert.equal((await erasures.find('LISTING', listed._id))?.open, true);
    await lists.release('LISTING', 'one_list');
    await erasing.continueAll(now + 62_000);
    assert.equal((await erasures.find('LISTING', listed._id))?.open, false);

    // What a store sent and nobody has handled yet.
    const link = newId(now);
    await rowsOf('store_links').insertOne({ _id: link, tenant_id: 'SHOP', created_at: now, place: 0, token_hash: link });
    const hook = (no: number, phone: string) => {
      const body = sealer.seal(link, 'store webhook', JSON.stringify({ customer: { phone } }));
      return { _id: `${link}.${no}`, tenant_id: 'SHOP', link_id: link, no, pending: true, body, created_at: now, expires_at: now + 1e9 };
    };
    await rowsOf('store_hooks').insertMany([hook(1, '+62 812-4444-0004'), hook(2, `+${OTHER}`)]);
    await erasing.begin('SHOP', DORA, now + 1);
    await erasing.continueAll(now + 2);
    const left = await rowsOf('store_hooks').find(hooksOf(link)).toArray();
    assert.deepEqual(
      left.map(({ no }) => no),
      [2],
    );
  });

  it('wait for an import of the same person, because it would restore the contact', async (t) => {
    const remembered = remembering(kind);
    const { store, clock } = await aGateway(t, { kind: remembered.kind });
    const now = clock.now();
    const { erasing, erasures } = erasingOn(store, [...remembered.opened.keys()], Buffer.alloc(32));
    const jobs = jobsIn(store);
    const rows = [{ phone: `+${DORA}`, name: 'Dora' }, { phone: `+${OTHER}` }, { phone: `+${DORA}${DORA}` }];
    await jobs.add(await anImportOf(store, 'IMPORTING', rows, now));

    const { _id } = await erasing.begin('IMPORTING', DORA, now);
    await erasing.continueAll(now);
    assert.equal((await erasures.find('IMPORTING', _id))?.open, true);
    for (let next = await jobs.next('IMPORTING'); next; next = await jobs.next('IMPORTING')) {
      assert.ok(next.kind === 'import');
      await jobs.advance(next, await importStep(importDepsOn(store), next, now), now);
    }
    await erasing.continueAll(now + 1);
    assert.equal((await erasures.find('IMPORTING', _id))?.open, false);
    const contacts = await contactsIn(store).oldest('IMPORTING', {}, 10, '');
    assert.deepEqual(
      contacts.map(({ phone }) => phone),
      [OTHER],
    );
    assert.deepEqual(await remembered.traces(), {});
  });

  it('wait until a campaign has collected its recipients, and then remove the person from the campaign', async (t) => {
    const remembered = remembering(kind);
    const { store, clock } = await aGateway(t, { kind: remembered.kind });
    const now = clock.now();
    const { erasing, erasures } = erasingOn(store, [...remembered.opened.keys()], Buffer.alloc(32));
    const [campaigns, recipients] = [campaignsIn(store), recipientsIn(store)];
    const draft = newCampaign('GATHERING', now);
    const row = { ...draft, status: 'running' as const, audience: { by: 'tag', value: 'vip' } as const, gathering: '' };
    const owner = { tenantId: row.tenant_id, campaignId: row._id, epoch: row.epoch };
    await campaigns.create(row);

    const { _id } = await erasing.begin('GATHERING', DORA, now);
    await erasing.continueAll(now + 1);
    assert.equal((await erasures.find('GATHERING', _id))?.open, true);
    // It had read the contacts before they were looked at.
    await recipients.add([recipientOf(row, DORA, UNNAMED, now + 2), recipientOf(row, OTHER, UNNAMED, now + 2)]);
    await campaigns.write(owner, 'running', { gathering: null });
    await erasing.continueAll(now + 3);
    assert.equal((await erasures.find('GATHERING', _id))?.open, false);
    const left = await Array.fromAsync(recipients.list(row._id, { status: null }, null, 10));
    assert.deepEqual(
      left.map(({ phone }) => phone),
      [OTHER],
    );
  });

  it('remove campaign recipients whose ambiguous number may belong to the person', async (t) => {
    const remembered = remembering(kind);
    const { store, clock } = await aGateway(t, { kind: remembered.kind });
    const now = clock.now();
    const { erasing } = erasingOn(store, [...remembered.opened.keys()], Buffer.alloc(32));
    const [campaigns, recipients] = [campaignsIn(store), recipientsIn(store)];
    const row = newCampaign('LISTED', now);
    await campaigns.create(row);
    const ambiguous = (written: string, readings: readonly string[]) =>
      invalidRecipientOf(row, written, UNNAMED, { kind: 'ambiguous', readings }, now);
    await recipients.add([ambiguous(`WA ${DORA.slice(2)}`, [DORA, '8112345678']), ambiguous('81255550005', [OTHER, '81255550005'])]);

    await erasing.begin('LISTED', DORA, now + 1);
    await erasing.continueAll(now + 2);
    const left = await Array.fromAsync(recipients.list(row._id, { status: null }, null, 10));
    assert.deepEqual(
      left.map(({ phone }) => phone),
      ['81255550005'],
    );
    assert.deepEqual(await remembered.traces(), {});
  });

  it('keep the file of an import that began later, and delete leftover files of earlier ones', async (t) => {
    const remembered = remembering(kind);
    const { store, clock } = await aGateway(t, { kind: remembered.kind });
    const now = clock.now();
    const { erasing, erasures } = erasingOn(store, [...remembered.opened.keys()], Buffer.alloc(32));
    const [jobs, files] = [jobsIn(store), importFilesIn(store)];
    // Its upload broke off. Its id is never before its time, but may be behind it.
    await files.write('IMPORTING', newId(now + 60_000), 0, Buffer.from(`{"phone":"+${DORA}"}\n`), now);
    const { _id } = await erasing.begin('IMPORTING', DORA, now);
    await jobs.add(await anImportOf(store, 'IMPORTING', [{ phone: `+${OTHER}` }], now + 1));
    await erasing.continueAll(now + 2);
    assert.equal((await erasures.find('IMPORTING', _id))?.open, false);
    assert.equal(await files.count('IMPORTING', 10), 1);
    const later = await jobs.next('IMPORTING');
    assert.ok(later?.kind === 'import');
    await importStep(importDepsOn(store), later, now + 3);
    const contacts = await contactsIn(store).oldest('IMPORTING', {}, 10, '');
    assert.deepEqual(
      contacts.map(({ phone }) => phone),
      [OTHER],
    );
  });

  it("remove an import's error messages if they contain the person's number", async (t) => {
    const remembered = remembering(kind);
    const { store, clock } = await aGateway(t, { kind: remembered.kind });
    const now = clock.now();
    const { erasing } = erasingOn(store, [...remembered.opened.keys()], Buffer.alloc(32));
    const jobs = jobsIn(store);
    const added = await anImportOf(store, 'IMPORTING', [], now);
    await jobs.add(added);
    // As it was written: no digits of the whole number stand together.
    const shown = `0${DORA.slice(2, 5)}-${DORA.slice(5, 9)}-${DORA.slice(9)} or ask Dora: more than one phone number`;
    const error = {
      row: 1,
      field: 'phone',
      error: { en: shown, id: shown },
      code: 'ambiguous_number',
      readings: [`+${DORA}`, `+${OTHER}`],
    };
    await jobs.advance(added, { status: 'done', errors: [error] }, now);
    assert.deepEqual(await remembered.traces(), { jobs: 1 });

    await erasing.begin('IMPORTING', DORA, now + 1);
    await erasing.continueAll(now + 2);
    const left = await jobs.find('IMPORTING', added._id);
    assert.ok(left?.kind === 'import', 'its counts stay');
    assert.deepEqual(left.errors, []);
  });

  it("are completed even if a step takes longer than a node's claim on the erasure", async (t) => {
    const remembered = remembering(kind);
    const { store, clock } = await aGateway(t, { kind: remembered.kind });
    const now = clock.now();
    const [first, second] = [endlessSegments(), endlessSegments()];
    const nodeOn = (seen: Store) => erasingOn(seen, [...remembered.opened.keys()], Buffer.alloc(32));
    const { erasing, erasures } = nodeOn(first.over(store));
    const { _id } = await erasing.begin('MANY', DORA, now);
    const ends = erasing.continueAll(now);
    await first.begun;
    const takesOver = nodeOn(second.over(store)).erasing.continueAll(now + 6 * 60_000);
    await second.begun;
    first.letGo();
    await ends;
    assert.equal((await erasures.find('MANY', _id))?.open, false);
    second.letGo();
    await takesOver;
    assert.equal((await erasures.find('MANY', _id))?.open, false);
  });
});

it("an erasure looks for each of the person's messages only in that message's chat (embedded)", async (t) => {
  const path = `${aDirectory(t)}/store.db`;
  const fresh = async (scope: Scope) => {
    const store = openEmbedded({ path });
    scope.after(() => store.close());
    return store;
  };
  const remembered = remembering({ name: 'embedded', fresh });
  const gateway = await aGateway(t, { kind: remembered.kind });
  const { api, id: tenant, linked } = await gateway.signUp();
  const device = await linked(PHONE);
  for (const body of ['one', 'two', 'three']) gateway.sandbox.phone(DORA).write({ to: PHONE, content: { type: 'text', body } });
  await received(gateway, api, device.path, 3);
  const chats = gateway.store.collection<ChatRow>(chatsSpec);
  await gateway.until(
    'her chat is there',
    async () => (await chats.findOne({ chat_id: `${DORA}@s.whatsapp.net` }))?.last_message === 'three',
  );
  const hers = await chats.findOne({ chat_id: `${DORA}@s.whatsapp.net` });
  assert.ok(hers);
  const others = Array.from({ length: 1_000 }, (_, nth) => ({
    ...hers,
    _id: `${device.id}:${nth}`,
    chat_id: `${nth}`,
    id: `${nth}`,
    last_message_id: '',
  }));
  await chats.insertMany(others);

  const names = [...remembered.opened.keys()];
  const { erasing, erasures } = erasingOn(gateway.store, names, gateway.node.secrets.audit, { without: 'chats' });
  const { _id } = await erasing.begin(tenant, DORA, gateway.clock.now());
  const ran = await ranDuring(path, () => erasing.continueAll(gateway.clock.now()));
  assert.equal((await erasures.find(tenant, _id))?.open, false);
  assert.equal((await chats.findOne({ _id: hers._id }))?.last_message, null);
  const seen = ran.filter(({ sql }) => sql.includes('FROM "chats"')).reduce((sum, { visited }) => sum + visited, 0);
  assert.ok(seen < others.length, `${seen} chats were looked at`);
});

async function anImportOf(store: Store, tenantId: string, rows: readonly object[], now: number): Promise<JobRow> {
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const { id, offset, line, ...read } = await storeRows(importFilesIn(store), tenantId, [bytes], now);
  const file = { ...read, callingCode: '62', optIn: false };
  return newJob(tenantId, { kind: 'import', file, place: { offset, line }, tally: NOTHING_IMPORTED, errors: [] }, now, id);
}

const importDepsOn = (store: Store): ImportDeps => ({
  contacts: contactsIn(store),
  identities: identitiesIn(store),
  standing: async () => new Map(),
  labels: labelsIn(store),
  files: importFilesIn(store),
  reader: { rows: async (_tenantId, part) => readRows(part) },
  optIn: async () => ({ lifted: 0, kept: 0 }),
  optOut: async () => {},
  readPeople: byForm,
});
