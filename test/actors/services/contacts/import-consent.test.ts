import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, bookOf, phoneNo } from './contacts-fixture.ts';

const CSV = { 'content-type': 'text/csv' };
const IMPORT = '/v1/contacts/import';
const figures = ({ opted_in, opted_out, opt_outs_lifted, opt_outs_kept }: Record<string, number>) => [
  opted_in,
  opted_out,
  opt_outs_lifted,
  opt_outs_kept,
];

eachStore('a consent import', (kind) => {
  it('opts out everyone who refused, however the refusal is written, and excludes them from campaigns', async (t) => {
    const { acme, gateway, ask, done } = await anAddressBook(t, kind);
    const device = await acme.linked(PHONE);
    await ask(200, 'PUT', '/v1/settings', { send_window: { enabled: false } });
    const file = [
      'Name,Phone,Subscribed,Do not contact,Status',
      `Yes,+${phoneNo(1)},yes,,Active`,
      `Unsubscribed,+${phoneNo(2)},unsubscribed,,`,
      `Opted out,+${phoneNo(3)},opted_out,,`,
      `Left,+${phoneNo(4)},,2024-05-03 10:11:12,`,
      `Do not contact,+${phoneNo(5)},yes,Ya,Active`,
      `Status,+${phoneNo(6)},,,opted_out`,
      `No,+${phoneNo(7)},no,no,subscribed`,
      `Unclear,+${phoneNo(8)},perhaps,who knows,`,
    ].join('\n');
    const { id } = await ask(202, 'POST', `${IMPORT}?opt_in=true`, file, CSV);
    const result = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual(figures(result), [1, 5, 0, 0]);
    assert.deepEqual(
      result.errors.map(({ row, field }: { row: number; field: string }) => [row, field]),
      [
        [9, 'opt_in'],
        [9, 'opt_out'],
      ],
    );
    const { consent } = await ask(200, 'GET', '/v1/consent');
    const records = consent.map(({ phone, status, source }: Record<string, string>) => [phone, status, source]).toSorted();
    assert.deepEqual(records, [[phoneNo(1), 'opted_in', 'import'], ...[2, 3, 4, 5, 6].map((nth) => [phoneNo(nth), 'opted_out', 'import'])]);
    await ask(201, 'POST', '/v1/segments', { name: 'All', rules: { all: [{ field: 'name', op: 'exists' }] } });
    const [segment] = (await ask(200, 'GET', '/v1/segments')).segments;
    const draft = { session_id: device.id, name: 'Sale', message_type: 'text', body: 'Sale', segment_id: segment.id };
    const blast = await ask(201, 'POST', '/v1/blasts', draft);
    await ask(200, 'POST', `/v1/blasts/${blast.id}/start`, {});
    await gateway.until('it is completed', async () => (await ask(200, 'GET', `/v1/blasts/${blast.id}`)).status === 'completed');
    const reached = [1, 2, 3, 4, 5, 6, 7].filter((nth) => gateway.sandbox.phone(phoneNo(nth)).messages(1).length > 0);
    assert.deepEqual(reached, [1, 7]);
  });

  it("restores everyone's consent from an exported file", async (t) => {
    const { ask, add, gateway } = await anAddressBook(t, kind);
    for (const nth of [1, 2, 3]) await add(phoneNo(nth), { name: `Person ${nth}`, tags: ['old'], attrs: { city: 'Bali' } });
    await ask(200, 'PUT', `/v1/consent/${phoneNo(1)}`, { status: 'opted_out', note: 'on the phone' });
    await ask(200, 'PUT', `/v1/consent/${phoneNo(2)}`, { status: 'opted_in' });
    await ask(200, 'PUT', `/v1/consent/${phoneNo(4)}`, { status: 'opted_out' });
    const files = [await ask(200, 'GET', '/v1/contacts/export'), await ask(200, 'GET', '/v1/consent/export')];
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    const theirs = bookOf(gateway, other.api);
    const results = [];
    for (const file of files) {
      const { id } = await theirs.ask(202, 'POST', IMPORT, file, CSV);
      results.push(await theirs.done(`/v1/contacts/imports/${id}`));
    }
    assert.deepEqual(
      results.map(({ created, invalid }) => [created, invalid]),
      [
        [3, 0],
        [1, 0],
      ],
    );
    assert.deepEqual(results.map(figures), [
      [0, 0, 0, 0],
      [1, 2, 0, 0],
    ]);
    const statuses = (await theirs.ask(200, 'GET', '/v1/consent')).consent.map(({ phone, status }: Record<string, string>) => [
      phone,
      status,
    ]);
    assert.deepEqual(statuses.toSorted(), [
      [phoneNo(1), 'opted_out'],
      [phoneNo(2), 'opted_in'],
      [phoneNo(4), 'opted_out'],
    ]);
    const { contacts } = await theirs.ask(200, 'GET', '/v1/contacts?tag=old');
    assert.deepEqual(
      contacts.map(({ name, attrs }: { name: string; attrs: object }) => [name, attrs]).toSorted(),
      [1, 2, 3].map((nth) => [`Person ${nth}`, { city: 'Bali' }]),
    );
  });

  it('lifts only opt-outs that imports or API keys have set', async (t) => {
    const { ask, done, acme, gateway } = await anAddressBook(t, kind);
    await acme.linked(PHONE);
    const { key } = await ask(201, 'POST', '/v1/api-keys', { name: 'shop' });
    const byKey = bookOf(gateway, gateway.as(key));
    const [byImport, byProgram, byTeam, byWord, erased, repeated] = [1, 2, 3, 4, 5, 6].map(phoneNo);
    const out = { status: 'opted_out' };
    await done(`/v1/contacts/imports/${(await ask(202, 'POST', IMPORT, { rows: [{ phone: `+${byImport}`, opt_out: true }] })).id}`);
    await byKey.ask(200, 'POST', '/v1/consent/bulk', { phones: [`+${byProgram}`], ...out });
    await ask(200, 'PUT', `/v1/consent/+${byTeam}`, out);
    for (const phone of [byWord, repeated])
      gateway.sandbox.phone(phone ?? '').write({ to: PHONE, content: { type: 'text', body: 'STOP' } });
    await gateway.until('both are out', async () => (await ask(200, 'GET', '/v1/consent')).summary.opted_out === 5);
    // A program that says it again does not make it the program's.
    await byKey.ask(200, 'PUT', `/v1/consent/+${repeated}`, out);
    await ask(200, 'PUT', `/v1/consent/+${erased}`, out);
    await ask(202, 'POST', '/v1/privacy/erasures', { phone: `+${erased}`, confirm: true });
    await gateway.until('they are erased', async () => (await ask(200, 'GET', '/v1/privacy/erasures')).erasures[0].status === 'done');
    const rows = [byImport, byProgram, byTeam, byWord, erased, repeated].map((phone) => ({ phone: `+${phone}` }));
    const result = await done(`/v1/contacts/imports/${(await ask(202, 'POST', IMPORT, { rows, opt_in: true })).id}`);
    assert.deepEqual(figures(result), [2, 0, 2, 4]);
    const opted = await ask(200, 'GET', '/v1/consent?status=opted_in');
    assert.deepEqual(opted.consent.map(({ phone }: { phone: string }) => phone).toSorted(), [byImport, byProgram]);
    // One by one, a person of the team may.
    assert.equal((await ask(200, 'PUT', `/v1/consent/+${byWord}`, { status: 'opted_in' })).changed, true);
  });

  it('opts out every possible reading of an ambiguous number, but opts in none', async (t) => {
    const { ask, done } = await anAddressBook(t, kind);
    const file = [
      'phone,mobile,name,opt_out,opt_in',
      '819012345678,,Aiko,yes,',
      '819012345679,,Anna,,yes',
      `021 555 0101,+${phoneNo(1)},Ben,yes,`,
    ].join('\n');
    const { id } = await ask(202, 'POST', IMPORT, file, CSV);
    const result = await done(`/v1/contacts/imports/${id}`);
    const readings = (end: string) => [`+6281901234567${end}`, `+81901234567${end}`];
    assert.deepEqual(
      result.errors.map(({ row, code, readings: found }: { row: number; code: string; readings: string[] }) => [row, code, found]),
      [
        [2, 'ambiguous_number', readings('8')],
        [3, 'ambiguous_number', readings('9')],
      ],
    );
    assert.deepEqual([result.created, result.opted_out, result.opted_in], [1, 2, 0]);
    const { consent } = await ask(200, 'GET', '/v1/consent?status=opted_out');
    const out = consent.map(({ phone }: { phone: string }) => phone).toSorted();
    assert.deepEqual(out, ['62215550101', phoneNo(1), '62819012345678', '819012345678'].toSorted());
  });

  it('opts a person out even if another part of the same file opts the person in', async (t) => {
    const { ask, done } = await anAddressBook(t, kind);
    const filler = (from: number) => Array.from({ length: 1_500 }, (_, nth) => `${'x'.repeat(40)},+${phoneNo(from + nth)},`);
    const file = [
      'name,phone,opt_in',
      `Anna,+${phoneNo(1)},yes`,
      `Ben,+${phoneNo(2)},opted_out`,
      ...filler(100),
      `Anna,+${phoneNo(1)},opted_out`,
      `Ben,+${phoneNo(2)},yes`,
      ...filler(2_000),
    ].join('\n');
    const { id } = await ask(202, 'POST', IMPORT, file, CSV);
    const result = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([result.opted_out, result.merged, result.created], [2, 2, 3_002]);
    assert.deepEqual((await ask(200, 'GET', '/v1/consent')).summary, { opted_in: 0, opted_out: 2 });
  });
});
