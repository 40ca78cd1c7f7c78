import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, bookOf, phoneNo } from './contacts-fixture.ts';

const CSV = { 'content-type': 'text/csv' };
const IMPORT = '/v1/contacts/import';

eachStore('an import', (kind) => {
  it('creates and updates contacts from a file, and reports every bad row', async (t) => {
    const { add, ask, done, acme, gateway } = await anAddressBook(t, kind);
    await add(ANNA, { name: 'Old name', var1: 'stays', tags: ['old'], attrs: { city: 'Bandung' } });
    const file = [
      'Nama,Nomor HP,Tags,attr.city,Grup,Setuju,Shoe size',
      'Anna,0812-1111-0001,"VIP; new",,Bali,ya,38',
      '',
      'Ben,6.28121E+12,,,,,',
      '"Cut\nin two",6.281211110003E+12,,Jakarta,,tidak,',
      'Dan,not a number,,,,perhaps,',
      'Eve,0812-1111-0005,,,,,',
      'Eve again,+62 812 1111 0005,VIP,,,,',
    ].join('\r\n');
    const { id } = await ask(202, 'POST', IMPORT, file, CSV);
    const { errors, ...result } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual(result, {
      id,
      status: 'done',
      total: 6,
      created: 2,
      updated: 2,
      invalid: 2,
      opted_in: 1,
      opted_out: 0,
      opt_outs_lifted: 0,
      opt_outs_kept: 0,
      merged: 1,
      ignored: ['Shoe size'],
      decisions: [
        { column: 'Nama', as: 'name' },
        { column: 'Nomor HP', as: 'phone' },
        { column: 'Tags', as: 'tags' },
        { column: 'attr.city', as: 'attr.city' },
        { column: 'Grup', as: 'group' },
        { column: 'Setuju', as: 'opt_in' },
      ],
    });
    assert.deepEqual(
      errors.map(({ row, field }: { row: number; field: string }) => [row, field]),
      [
        [4, 'phone'],
        [7, 'phone'],
        [7, 'opt_in'],
      ],
    );
    assert.match(errors[0].error, /scientific/);
    const { contacts } = await ask(200, 'GET', '/v1/contacts');
    const byPhone = new Map(contacts.map((one: { phone: string }) => [one.phone, one]));
    const { name, var1, tags, attrs, group_id } = byPhone.get(ANNA) as Record<string, unknown>;
    assert.deepEqual([name, var1, tags, attrs], ['Anna', 'stays', ['old', 'VIP', 'new'], { city: 'Bandung' }]);
    assert.equal((await ask(200, 'GET', '/v1/contact-groups')).contact_groups[0].id, group_id);
    assert.equal((byPhone.get('6281211110003') as { name: string }).name, 'Cut\nin two');
    assert.equal((byPhone.get('6281211110005') as { name: string }).name, 'Eve again');
    const agreed = { rules: { all: [{ field: 'consent', op: 'is', value: 'opted_in' }] } };
    assert.equal((await ask(200, 'POST', '/v1/segments/preview', agreed)).count, 1);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('GET', `/v1/contacts/imports/${id}`)).status, 404);
    assert.equal(acme.phone.length > 0, true);
  });

  it('respects the maximum number of tags and attributes, and reports rows that exceed it', async (t) => {
    const { add, ask, done } = await anAddressBook(t, kind);
    const some = (what: string, from: number, to: number) => Array.from({ length: to - from }, (_, nth) => `${what}${from + nth}`);
    const attrs = Object.fromEntries(some('a', 0, 50).map((key) => [key, 'x']));
    await add(ANNA, { name: 'Anna', tags: some('t', 0, 40), attrs });
    const rows = [
      { phone: ANNA, name: 'Anna again', tags: some('t', 30, 50) },
      { phone: phoneNo(1), tags: some('t', 0, 30), opt_in: true },
      { phone: phoneNo(1), tags: some('t', 30, 60), opt_in: true },
      { phone: phoneNo(2), attrs: { a1: 'y' } },
    ];
    const first = await done(`/v1/contacts/imports/${(await ask(202, 'POST', IMPORT, { rows })).id}`);
    assert.deepEqual([first.created, first.updated, first.invalid, first.opted_in], [1, 1, 2, 0]);
    const named = ({ row, field }: { row: number; field: string }) => [row, field];
    assert.deepEqual(first.errors.map(named), [
      [2, 'tags'],
      [3, 'tags'],
    ]);
    const more = [
      { phone: ANNA, tags: ['t50'] },
      { phone: ANNA, attrs: { b: 'x' } },
      { phone: phoneNo(2), name: 'Ben' },
    ];
    for (const [nth, field] of [
      [0, 'tags'],
      [1, 'attrs'],
    ] as const) {
      const { errors, updated } = await done(`/v1/contacts/imports/${(await ask(202, 'POST', IMPORT, { rows: [more[nth], more[2]] })).id}`);
      assert.deepEqual([errors.map(named), updated], [[[1, field]], 1]);
    }
    const { contacts } = await ask(200, 'GET', '/v1/contacts');
    const shown = contacts.map(({ name, tags, attrs }: { name: string; tags: string[]; attrs: object }) => [
      name,
      tags.length,
      Object.keys(attrs).length,
    ]);
    assert.deepEqual(shown, [
      ['Ben', 0, 1],
      ['Anna again', 50, 50],
    ]);
  });

  it('completes the contact of a person who was known only from a message', async (t) => {
    const { gateway, acme, ask, done, api } = await anAddressBook(t, kind);
    await acme.linked(PHONE);
    gateway.sandbox.phone(ANNA).set({ name: 'anna ✨' });
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Hi' } });
    await gateway.until('she is a contact', async () => (await api('GET', '/v1/contacts')).body.contacts.length === 1);
    const { id } = await ask(202, 'POST', IMPORT, { rows: [{ phone: ANNA, name: 'Anna of Bali' }] });
    await done(`/v1/contacts/imports/${id}`);
    const [chat] = (await ask(200, 'GET', '/v1/inbox')).chats;
    assert.equal(chat.chat_name, 'Anna of Bali');
    assert.equal((await ask(409, 'POST', '/v1/contacts', { phone: ANNA, name: 'Another' })).code, 'CONFLICT');
  });

  it('accepts JSON rows and multipart forms', async (t) => {
    const { ask, done, api, gateway } = await anAddressBook(t, kind);
    const rows = [{ phone: phoneNo(1), name: 'Anna', tags: ['VIP'], attrs: { city: 'Bali' } }, { name: 'Nobody' }, { phone: 628121110002 }];
    const { id } = await ask(202, 'POST', IMPORT, { rows, opt_in: true });
    const { errors, ...result } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual(
      [result.created, result.invalid, result.opted_in, errors],
      [2, 1, 2, [{ row: 2, field: 'phone', error: 'empty', code: 'empty' }]],
    );
    const inIndonesian = await ask(200, 'GET', `/v1/contacts/imports/${id}?lang=id`);
    assert.deepEqual(inIndonesian.errors, [{ row: 2, field: 'phone', error: 'kosong', code: 'empty' }]);
    const form = ['--b', 'Content-Disposition: form-data; name="file"; filename="c.csv"', '', `phone\n${phoneNo(7)}\n`, '--b--', ''].join(
      '\r\n',
    );
    const sent = await gateway.during(api('POST', `${IMPORT}?opt_in=true`, form, { 'content-type': 'multipart/form-data; boundary=b' }));
    const imported = await done(`/v1/contacts/imports/${sent.body.id}`);
    assert.deepEqual([imported.created, imported.opted_in], [1, 1]);
  });

  it('accepts valid JSON rows with arbitrary additional fields', async (t) => {
    const { ask, done, api } = await anAddressBook(t, kind);
    const rows: readonly unknown[] = [
      { phone: phoneNo(1), name: '\ud800Anna', tags: [{ toString: 1, valueOf: 2 }, [['VIP']]] },
      { phone: { toString: 1 }, address: { street: [{}] } },
      { phone: phoneNo(2), name: { first: 'Ben' }, constructor: 'x' },
    ];
    const { id } = await ask(202, 'POST', IMPORT, { rows });
    const { status, created, invalid } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([status, created, invalid], ['done', 2, 1]);
    const [ben, anna] = (await api('GET', '/v1/contacts')).body.contacts;
    assert.deepEqual([anna.name, anna.tags, ben.name], ['\ufffdAnna', ['{"toString":1', '"valueOf":2}', 'VIP'], '{"first":"Ben"}']);
  });

  it('accepts JSON rows that are longer than one chunk', async (t) => {
    const { ask, done } = await anAddressBook(t, kind);
    const long = (bytes: number) => [{ phone: phoneNo(1), notes: 'x'.repeat(bytes) }, { phone: phoneNo(2) }];
    const { id } = await ask(202, 'POST', IMPORT, { rows: long(60_000) });
    const { status, created } = await done(`/v1/contacts/imports/${id}`);
    assert.deepEqual([status, created], ['done', 2]);
    assert.equal((await ask(400, 'POST', IMPORT, { rows: long(1_000_000) })).code, 'VALIDATION_FAILED');
  });

  it('rejects invalid input immediately', async (t) => {
    const { ask } = await anAddressBook(t, kind);
    const code = async (status: number, body: unknown, type: string) =>
      (await ask(status, 'POST', IMPORT, body, { 'content-type': type })).code;
    assert.equal(await code(400, 'a,b\n1,2\n', 'text/csv'), 'VALIDATION_FAILED');
    assert.equal(await code(400, '', 'text/csv'), 'VALIDATION_FAILED');
    assert.equal(await code(400, '{"rows": [', 'application/json'), 'INVALID_JSON');
    assert.equal(await code(400, '{"rows": [1]}', 'application/json'), 'VALIDATION_FAILED');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    assert.equal(await code(400, `{"rows": [{"phone": "1", "more": ${deep}}]}`, 'application/json'), 'VALIDATION_FAILED');
    assert.equal(await code(415, 'x', 'image/png'), 'UNSUPPORTED_MEDIA_TYPE');
    assert.equal(await code(413, `phone\n${'x'.repeat(26 * 1024 * 1024)}`, 'text/csv'), 'PAYLOAD_TOO_LARGE');
  });

  it('continues after a crash, and counts each contact once', async (t) => {
    const { gateway, acme, ask, api } = await anAddressBook(t, kind);
    const many = 9_000;
    const file = ['phone;name;tags', ...Array.from({ length: many }, (_, nth) => `${phoneNo(nth)};Person ${nth};VIP`)].join('\n');
    const { id } = await ask(202, 'POST', IMPORT, file, CSV);
    const path = `/v1/contacts/imports/${id}`;
    await gateway.until('some of it is done', async () => (await api('GET', path)).body.total > 0);
    const restarted = await gateway.crash();
    const book = bookOf(restarted, restarted.as(acme.tokens.token));
    const { created, updated, invalid, total } = await book.done(path);
    assert.deepEqual({ created, updated, invalid, total }, { created: many, updated: 0, invalid: 0, total: many });
    const preview = { rules: { all: [{ field: 'tag', op: 'is', value: 'VIP' }] } };
    assert.equal((await book.ask(200, 'POST', '/v1/segments/preview', preview)).count, many);
  });
});
