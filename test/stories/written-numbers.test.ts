import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOMES, mobiles, outcome } from '../actors/domain/numbers/outcomes.ts';
import { aConsentFixture } from '../actors/services/consent/consent-fixture.ts';
import { anAddressBook, bookOf } from '../actors/services/contacts/contacts-fixture.ts';

type Body = Awaited<ReturnType<ReturnType<typeof bookOf>['ask']>>;

import { eachStore, embedded } from '../support/stores.ts';

const KOREA = '821012345678';
const MEXICO = '5215512345678';
const BOTH = [`+62${KOREA}`, `+${KOREA}`];

eachStore('a formatted phone number', (kind) => {
  it('identifies the same person in sends, campaigns and exports, whatever the home country is', async (t) => {
    const { gateway, api, device, write } = await aConsentFixture(t, kind);
    const { ask, done } = bookOf(gateway, api);
    for (const country of ['ID', 'MX', 'IT']) {
      const { callingCode = '' } = HOMES.find((home) => home.country === country) ?? {};
      const people = mobiles.map(({ digits }) => digits).filter((digits) => outcome(digits, callingCode, digits) !== '=');
      const some = [...people.slice(0, 6), MEXICO, '22507123456'];
      await ask(200, 'PUT', '/v1/profile', { country });
      for (const digits of some) write(digits, 'Hello');
      const contacts: readonly Body[] = await gateway.until('all wrote', async () => {
        const found = (await api('GET', '/v1/contacts?limit=200')).body.contacts;
        return some.every((digits) => found.some(({ phone }: Body) => phone === digits)) && found;
      });
      const shown = contacts.map(({ phone }) => phone);
      const sent = await Promise.all(some.map(async (phone) => (await device.message(await device.text(phone, 'Hi'))).chat_id));
      assert.deepEqual(
        sent,
        some.map((digits) => `${digits}@s.whatsapp.net`),
      );

      const blast = await ask(201, 'POST', '/v1/blasts', {
        session_id: device.id,
        name: 'Sale',
        message_type: 'text',
        body: 'Hi',
        recipients: shown.map((phone) => ({ phone })),
      });
      const { recipients } = await ask(200, 'GET', `/v1/blasts/${blast.id}/recipients?limit=200`);
      assert.deepEqual(
        recipients.map(({ phone, error }: Body) => [phone, error]).toSorted(),
        shown.map((phone) => [phone, null]).toSorted(),
      );

      const file = await ask(200, 'GET', '/v1/contacts/export');
      const { id } = await ask(202, 'POST', '/v1/contacts/import', file, { 'content-type': 'text/csv' });
      const result = await done(`/v1/contacts/imports/${id}`);
      assert.deepEqual([result.created, result.updated, result.errors], [0, contacts.length, []]);
      const digitsOnly = ['phone', ...shown].join('\n');
      const again = await ask(202, 'POST', '/v1/contacts/import', digitsOnly, { 'content-type': 'text/csv' });
      const { created, errors } = await done(`/v1/contacts/imports/${again.id}`);
      assert.deepEqual([created, errors], [0, []]);
    }
  });
});

it('a phone number with an unassigned country code is accepted in every field once the network has used it', async (t) => {
  const { gateway, api, device, write } = await aConsentFixture(t, embedded);
  const { ask } = bookOf(gateway, api);
  const odd = '999123456789';
  assert.equal(
    (await api('POST', `${device.path}/messages`, { chat_id: `+${odd}`, type: 'text', body: 'Hi' })).body.code,
    'INVALID_NUMBER',
  );
  write(odd, 'Hello');
  await gateway.until('it is known', async () => (await api('GET', '/v1/contacts')).body.contacts.length > 0);
  for (const text of [`+${odd}`, `00${odd}`, '+999 123 456-789'])
    assert.equal((await ask(202, 'POST', `${device.path}/messages`, { chat_id: text, type: 'text', body: 'Hi' })).status, 'queued');
  await ask(200, 'PUT', `/v1/consent/%2B${odd}`, { status: 'opted_in' });
  const { results } = await ask(200, 'POST', `${device.path}/validate`, { phones: [`+${odd}`] });
  assert.deepEqual([results[0].phone, results[0].exists], [odd, true]);
});

it('a phone number is parsed in the same way in every field', async (t) => {
  const { gateway, api, device } = await aConsentFixture(t, embedded);
  const { ask, done } = bookOf(gateway, api);
  const digits = '6281211119005';
  const written = '\u202aWA: (+62) 812.1111\u20119005\u202c ext. 12';
  const inPath = encodeURIComponent(written);
  const tomorrow = gateway.clock.now() + 86_400_000;
  const text = { type: 'text', body: 'Hi' };

  const { id } = await ask(202, 'POST', `${device.path}/messages`, { chat_id: written, ...text });
  assert.equal((await device.message(id)).chat_id, `${digits}@s.whatsapp.net`);
  const card = await ask(202, 'POST', `${device.path}/messages`, {
    chat_id: written,
    type: 'contact',
    contact: { name: 'Ana', phone: written },
  });
  assert.equal((await device.message(card.id)).contact.phone, digits);
  await ask(201, 'POST', `${device.path}/scheduled`, { chat_id: written, ...text, scheduled_at: tomorrow });
  const recurring = await ask(201, 'POST', `${device.path}/recurring`, {
    name: 'Daily',
    targets: [written, digits],
    message: 'Hi',
    schedule_type: 'daily',
  });
  assert.deepEqual(recurring.targets, [`${digits}@s.whatsapp.net`]);
  assert.equal((await ask(201, 'POST', '/v1/contacts', { phone: written })).phone, digits);
  assert.equal((await ask(200, 'GET', `/v1/contacts?phone=${inPath}`)).contacts[0].phone, digits);
  assert.equal((await ask(200, 'PUT', `/v1/consent/${inPath}`, { status: 'opted_in' })).consent.phone, digits);
  assert.equal((await ask(200, 'GET', `/v1/consent/history/${inPath}`)).phone, digits);
  const bulk = await ask(200, 'POST', '/v1/consent/bulk', { phones: [written], status: 'opted_in' });
  assert.deepEqual(bulk, { changed: 0, unchanged: 1, invalid: 0, opt_outs_lifted: 0, invalid_numbers: [] });
  assert.equal((await ask(200, 'POST', `${device.path}/validate`, { phones: [written] })).results[0].phone, digits);
  assert.equal((await ask(200, 'GET', `${device.path}/people/${inPath}`)).person.phone, digits);
  assert.equal((await ask(201, 'POST', `${device.path}/blocklist`, { phone: written })).phone, digits);
  await ask(200, 'DELETE', `${device.path}/blocklist/${inPath}`);
  assert.equal((await ask(201, 'POST', '/v1/agents', { name: 'Dewi', phone: written })).phone, digits);
  const blast = await ask(201, 'POST', '/v1/blasts', {
    session_id: device.id,
    name: 'Sale',
    message_type: 'text',
    body: 'Hi',
    recipients: [{ phone: written }],
  });
  assert.equal((await ask(200, 'GET', `/v1/blasts/${blast.id}/recipients`)).recipients[0].phone, digits);
  const group = await ask(201, 'POST', `${device.path}/groups`, { subject: 'Team', participants: [written] });
  assert.ok(group.participants.some(({ phone }: Body) => phone === digits));
  const imported = await ask(202, 'POST', '/v1/contacts/import', `phone,name\n"${written}",Ana\n`, { 'content-type': 'text/csv' });
  assert.equal((await done(`/v1/contacts/imports/${imported.id}`)).updated, 1);
  const { rules } = await ask(201, 'POST', '/v1/segments', { name: 'One', rules: { all: [{ field: 'phone', op: 'is', value: written }] } });
  assert.equal(rules.all[0].value, `+${digits}`);
  assert.equal((await api('PUT', `/v1/privacy/holds/${inPath}`, { reason: 'claim', until: tomorrow })).status, 200);
});

it('a phone number whose digits could mean two people is rejected', async (t) => {
  const { gateway, api, device, of } = await aConsentFixture(t, embedded);
  const { ask, done } = bookOf(gateway, api);
  const ambiguous = async (method: string, path: string, body?: object) => {
    const { status, body: said } = await gateway.during(api(method, path, body));
    assert.deepEqual([status, said.code, said.readings], [400, 'INVALID_NUMBER', BOTH], path);
  };
  await ambiguous('POST', `${device.path}/messages`, { chat_id: KOREA, type: 'text', body: 'Hi' });
  await ambiguous('POST', '/v1/contacts', { phone: KOREA });
  await ambiguous('PUT', `/v1/consent/${KOREA}`, { status: 'opted_out' });
  await ambiguous('GET', `${device.path}/people/${KOREA}`);
  const rules = { all: [{ field: 'phone', op: 'is', value: KOREA }] };
  const { body: segment } = await api('POST', '/v1/segments', { name: 'One', rules });
  assert.match(segment.details[0].message, new RegExp(`could be two different people; write \\+62${KOREA} or \\+${KOREA}$`));
  const targets = [KOREA, 'nobody'];
  const target = await api('POST', `${device.path}/recurring`, { name: 'x', targets, message: 'Hi', schedule_type: 'daily' });
  assert.deepEqual([target.body.code, target.body.readings], ['INVALID_TARGETS', BOTH]);
  const messages = [{ chat_id: KOREA, type: 'text', body: 'Hi' }];
  const bulk = await ask(202, 'POST', `${device.path}/messages/bulk`, { messages });
  assert.deepEqual([bulk.results[0].code, bulk.results[0].readings], ['INVALID_NUMBER', BOTH]);
  const { results } = await ask(200, 'POST', `${device.path}/validate`, { phones: [KOREA] });
  assert.deepEqual(results, [{ input: KOREA, phone: null, exists: false, jid: null, readings: BOTH }]);

  const recipients = [{ phone: KOREA }, { phone: 'nobody' }];
  const blast = await ask(201, 'POST', '/v1/blasts', { session_id: device.id, name: 'Sale', message_type: 'text', body: 'Hi', recipients });
  const listed = await ask(200, 'GET', `/v1/blasts/${blast.id}/recipients`);
  const faults = listed.recipients.map(({ phone, status, error, readings }: Body) => [phone, status, error, readings]);
  assert.deepEqual(faults.toSorted(), [
    [KOREA, 'skipped', 'ambiguous_number', BOTH],
    ['nobody', 'skipped', 'invalid', undefined],
  ]);

  const upload = async (query: string, csv: string) => {
    const { id } = await ask(202, 'POST', `/v1/contacts/import?${query}`, csv, { 'content-type': 'text/csv' });
    return done(`/v1/contacts/imports/${id}`);
  };
  const { errors, created, opted_out } = await upload('', `phone,status\n${KOREA},opted_out\n`);
  assert.deepEqual([created, opted_out, errors[0].code, errors[0].readings], [0, 1, 'ambiguous_number', BOTH]);
  assert.equal((await of(KOREA)).current.status, 'opted_out');
  assert.equal((await of(`62${KOREA}`)).current.status, 'opted_out');
});

it('an ambiguous number opts out both possible people, but opts in neither of them', async (t) => {
  const { gateway, api, of } = await aConsentFixture(t, embedded);
  const { ask } = bookOf(gateway, api);
  const phones = ['081211110001', KOREA, '12'];
  const wrong = [
    { index: 1, value: KOREA, reason: 'ambiguous_number', readings: BOTH },
    { index: 2, value: '12', reason: 'invalid_number' },
  ];
  const agreed = await ask(200, 'POST', '/v1/consent/bulk', { phones, status: 'opted_in' });
  assert.deepEqual(agreed, { changed: 1, unchanged: 0, invalid: 2, opt_outs_lifted: 0, invalid_numbers: wrong });
  assert.deepEqual([(await of(KOREA)).current, (await of(`62${KOREA}`)).current], [null, null]);
  const refused = await ask(200, 'POST', '/v1/consent/bulk', { phones, status: 'opted_out' });
  assert.deepEqual(refused, { changed: 3, unchanged: 0, invalid: 2, opt_outs_lifted: 0, invalid_numbers: wrong });
  assert.equal((await of(KOREA)).current.status, 'opted_out');
  assert.equal((await of(`62${KOREA}`)).current.status, 'opted_out');
});

it('an imported number without a plus is parsed according to the import option', async (t) => {
  const { ask, done } = await anAddressBook(t, embedded);
  for (const [bare, phone] of [
    ['national', `62${KOREA}`],
    ['international', KOREA],
  ] as const) {
    const { id } = await ask(202, 'POST', `/v1/contacts/import?bare_numbers=${bare}`, `phone\n${KOREA}\n`, { 'content-type': 'text/csv' });
    assert.equal((await done(`/v1/contacts/imports/${id}`)).created, 1, bare);
    assert.equal((await ask(200, 'GET', `/v1/contacts?phone=%2B${phone}`)).contacts.length, 1, bare);
  }
});
