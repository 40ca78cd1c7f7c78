import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lidOf } from '../../actors/network/sandbox/addresses.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import { bookOf } from '../actors/services/contacts/contacts-fixture.ts';
import { ANNA, aGateway, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../support/stores.ts';

const [BUDI, CICI, DEDI] = ['6281211110002', '6281211110003', '6281211110004'];
const LID = lidOf(ANNA);

type Body = Awaited<ReturnType<ReturnType<typeof bookOf>['ask']>>;

const texts = (gateway: Gateway, digits: string): readonly string[] =>
  gateway.sandbox
    .phone(digits)
    .messages()
    .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []))
    .toReversed();

/** A business whose first device is linked. */
async function aBusiness(gateway: Gateway, tenant: Tenant, phone: string) {
  const device = await tenant.linked(phone);
  const book = bookOf(gateway, tenant.api);
  await book.ask(200, 'PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
  const contacts = async (): Promise<readonly Body[]> => (await book.ask(200, 'GET', '/v1/contacts?limit=200')).contacts;
  const imported = async (file: unknown, type = 'text/csv'): Promise<Body> => {
    const { id } = await book.ask(202, 'POST', '/v1/contacts/import', file, { 'content-type': type });
    return book.done(`/v1/contacts/imports/${id}`);
  };
  /** Sends a campaign; gives its recipients. */
  const launched = async (more: object): Promise<readonly Body[]> => {
    const draft = { session_id: device.id, name: 'Sale', message_type: 'text', body: 'Sale', ...more };
    const { id } = await book.ask(201, 'POST', '/v1/blasts', draft);
    await book.ask(200, 'POST', `/v1/blasts/${id}/start`, { consent_attested: true });
    await gateway.until('it is over', async () => (await book.ask(200, 'GET', `/v1/blasts/${id}`)).status === 'completed');
    return (await book.ask(200, 'GET', `/v1/blasts/${id}/recipients?limit=200`)).recipients;
  };
  const api: Tenant['api'] = (...request) => gateway.during(tenant.api(...request));
  return { ...book, api, device, contacts, imported, launched };
}

/** Anna has a username and hides her number; she wrote. Budi, whose number is known, wrote and opted out. */
async function aGatewayWithAnna(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind });
  const acme = await gateway.signUp();
  const business = await aBusiness(gateway, acme, PHONE);
  const write = (from: string, body: string) => gateway.sandbox.phone(from).write({ to: PHONE, content: { type: 'text', body } });
  gateway.sandbox.phone(ANNA).set({ name: 'Anna', lid: true, tellsNumber: false, username: 'Anna.W' });
  write(ANNA, 'Hello');
  write(BUDI, 'STOP');
  await gateway.until('both are contacts', async () => (await business.contacts()).length === 2);
  return { gateway, acme, write, ...business };
}

eachStore('a contact export', (kind) => {
  it('transfers people without numbers to another account, with their names and opt-outs', async (t) => {
    const { gateway, ask, write, imported } = await aGatewayWithAnna(t, kind);
    const anna = (await ask(200, 'GET', `/v1/contacts?phone=${LID}`)).contacts[0];
    await ask(200, 'PATCH', `/v1/contacts/${anna.id}`, { name: 'Anna Widodo', tags: ['VIP'] });
    write(ANNA, 'STOP');
    await gateway.until(
      'she is opted out',
      async () => (await ask(200, 'GET', `/v1/consent/history/${LID}`)).current?.status === 'opted_out',
    );
    const [people, consent] = [await ask(200, 'GET', '/v1/contacts/export'), await ask(200, 'GET', '/v1/consent/export')];
    assert.match(String(consent), /^"phone","status","source","note","updated_at","lid","username"\n/);
    assert.match(String(consent), new RegExp(`"","opted_out","keyword",.*,"${LID}","Anna.W"`));

    const here = await imported(people);
    assert.deepEqual([here.created, here.updated, here.errors], [0, 2, []]);

    const other = await aBusiness(gateway, await gateway.signUp('Other', '6281211119000'), '6281211119001');
    const there = await other.imported(people);
    assert.deepEqual([there.created, there.errors], [2, []]);
    const moved = (await other.ask(200, 'GET', `/v1/contacts?phone=${LID}`)).contacts[0];
    const { phone, lid, username, name, tags } = moved;
    assert.deepEqual(
      { phone, lid, username, name, tags },
      { phone: null, lid: LID, username: 'Anna.W', name: 'Anna Widodo', tags: ['VIP'] },
    );
    const refused = await other.imported(consent);
    assert.deepEqual([refused.opted_out, refused.errors], [2, []]);
    const skipped = await other.launched({ all_contacts: true });
    assert.deepEqual(
      skipped.map(({ error }) => error),
      ['opted_out', 'opted_out'],
    );
    assert.deepEqual(texts(gateway, ANNA).includes('Sale'), false);
  });
});

describe('a person without a number', () => {
  it('can be addressed by hidden address and by username on every endpoint', async (t) => {
    const { gateway, ask, device, launched, api } = await aGatewayWithAnna(t, embedded);
    for (const name of [LID, '@anna.w', '%40Anna.W']) {
      assert.equal((await ask(200, 'PUT', `/v1/consent/${name}`, { status: 'opted_in' })).consent.lid, LID);
      assert.equal((await ask(200, 'GET', `/v1/consent/history/${name}`)).lid, LID);
      const { person } = await ask(200, 'GET', `${device.path}/people/${name}`);
      assert.deepEqual([person.phone, person.lid, person.username], [null, LID, 'Anna.W']);
      const hold = { reason: 'Invoice 17', until: gateway.clock.now() + 60_000 };
      await ask(200, 'PUT', `/v1/privacy/holds/${name}`, hold);
      const held = await api('POST', '/v1/privacy/erasures', { phone: '@anna.w', confirm: true });
      assert.deepEqual([held.status, held.body.code], [409, 'CONFLICT']);
      await ask(200, 'DELETE', `/v1/privacy/holds/${name}`);
    }
    const { changed, invalid_numbers } = await ask(200, 'POST', '/v1/consent/bulk', {
      phones: ['@Anna.W', '@nobody.here'],
      status: 'opted_out',
    });
    assert.deepEqual([changed, invalid_numbers], [1, [{ index: 1, value: '@nobody.here', reason: 'unknown_username' }]]);
    const named = [LID, '@anna.w', '@nobody.here', '123456789012345@lid'];
    const { results } = await ask(200, 'POST', `${device.path}/validate`, { phones: named });
    assert.deepEqual(
      results,
      named.map((input, nth) => ({ input, phone: null, exists: nth < 2, jid: nth < 2 ? LID : null })),
    );
    await ask(200, 'PUT', '/v1/consent/@anna.w', { status: 'opted_in' });
    const recipients = await launched({ recipients: [LID, '@anna.w', '@nobody.here', CICI].map((phone) => ({ phone })) });
    const shown = recipients.map(({ phone, lid, username, error }) => [phone, lid, username, error]);
    assert.deepEqual(
      new Set(shown.map((one) => JSON.stringify(one))),
      new Set(
        [
          [null, LID, 'Anna.W', null],
          ['@nobody.here', null, null, 'unknown_username'],
          [CICI, null, null, null],
        ].map((one) => JSON.stringify(one)),
      ),
    );
    assert.deepEqual(texts(gateway, ANNA), ['Sale']);
    assert.equal((await api('PUT', '/v1/consent/@nobody.here', { status: 'opted_out' })).status, 404);
    assert.equal((await api('PUT', '/v1/consent/@www.anna', { status: 'opted_out' })).body.code, 'INVALID_NUMBER');
  });

  it('can become a contact through a username that was not known before', async (t) => {
    const { gateway, ask, api, launched, contacts } = await aGatewayWithAnna(t, embedded);
    gateway.sandbox.phone(CICI).set({ username: 'cici', usernameKey: '4071' });
    gateway.sandbox.phone(DEDI).set({ username: 'dedi' });
    const made = await ask(201, 'POST', '/v1/contacts', { username: '@Dedi', name: 'Dedi' });
    assert.deepEqual([made.phone, made.lid, made.username, made.name], [null, lidOf(DEDI), 'Dedi', 'Dedi']);
    await ask(409, 'POST', '/v1/contacts', { username: 'dedi' });
    assert.equal((await api('POST', '/v1/contacts', { username: 'cici' })).body.code, 'USERNAME_KEY_REQUIRED');
    assert.equal((await api('POST', '/v1/contacts', { username: 'nobody.here' })).status, 404);
    const wrong = await api('POST', '/v1/contacts', { username: 'www.anna' });
    assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, 'username']);
    for (const two of [
      { username: 'dedi', lid: LID },
      { username: 'dedi', phone: BUDI },
    ])
      await ask(400, 'POST', '/v1/contacts', two);
    const before = await contacts();
    await launched({ recipients: [{ phone: '@dedi' }] });
    assert.deepEqual(texts(gateway, DEDI), ['Sale']);
    assert.equal((await contacts()).length, before.length);
  });

  it('can be erased by username, and stays opted out', async (t) => {
    const { gateway, ask, write, contacts, launched } = await aGatewayWithAnna(t, embedded);
    const { id } = await ask(202, 'POST', '/v1/privacy/erasures', { phone: '@anna.w', confirm: true });
    await gateway.until('she is erased', async () => (await ask(200, 'GET', `/v1/privacy/erasures/${id}`)).status === 'done');
    assert.deepEqual((await contacts()).map(({ lid }) => lid).includes(LID), false);
    write(ANNA, 'Hello again');
    await gateway.until('she is a contact again', async () => (await contacts()).some(({ lid }) => lid === LID));
    assert.equal((await launched({ recipients: [{ phone: LID }] }))[0]?.error, 'opted_out');
  });
});

describe('a row in a contact import', () => {
  it('cannot merge two people by claiming a hidden address or a username', async (t) => {
    const { gateway, acme, ask, imported, contacts } = await aGatewayWithAnna(t, embedded);
    const other = lidOf(CICI);
    const file = [
      'phone,name,lid,username',
      `+${CICI},Thief of an address,${LID},`,
      `+${DEDI},Thief of a name,,anna.w`,
      `+62812000000,One of many,${other},`,
      '+6281200000001,Another of many,'.concat(other, ','),
      ',Nobody,,nobody.here',
      ',No address,x@lid,',
      `,Same name,${lidOf(DEDI)},anna.w`,
      '+6281200000009,With an account,,some_account',
      `+6281200000010,With an address,${lidOf('6281200000010')},`,
    ].join('\n');
    const { created, errors } = await imported(file);
    assert.equal(created, 2);
    assert.deepEqual(
      errors.map(({ row, field, code }: Body) => [row, field, code]),
      [
        [2, 'lid', 'contradicting_identity'],
        [3, 'username', 'contradicting_identity'],
        [4, 'lid', 'contradicting_identity'],
        [5, 'lid', 'contradicting_identity'],
        [6, 'username', 'unknown_username'],
        [7, 'lid', 'invalid_number'],
        [8, 'username', 'contradicting_identity'],
      ],
    );
    const known = (await contacts()).map(({ phone, lid, username }) => [phone, lid, username]);
    assert.deepEqual(known, [
      ['6281200000010', null, null],
      ['6281200000009', null, null],
      [BUDI, null, null],
      [null, LID, 'Anna.W'],
    ]);
    // However many people claim one address, none of them gets it.
    const claims = Array.from({ length: 3_000 }, (_none, nth) => `+62813${10_000_000 + nth},${other}`);
    const many = await imported(['phone,lid', ...claims].join('\n'));
    assert.deepEqual([many.created, many.updated, many.invalid, many.errors[999].code], [0, 0, 3_000, 'contradicting_identity']);
    assert.equal(await identitiesIn(gateway.store).find(acme.id, other), null);
    // Whoever refused did so under all that the row says.
    await imported(`phone,status,lid\n+${DEDI},opted_out,${lidOf(DEDI)}\n`);
    for (const who of [DEDI, lidOf(DEDI)]) assert.equal((await ask(200, 'GET', `/v1/consent/history/${who}`)).current?.status, 'opted_out');
  });
});

describe('a username lookup', () => {
  it('counts as a number validation on every endpoint', async (t) => {
    const gateway = await aGateway(t, { kind: embedded, limits: new LimitsInMemory() });
    const { api, linked } = await gateway.signUp();
    const device = await linked(PHONE);
    const name = (nth: number) => `nobody.${nth}`;
    const asks = [
      ...[0, 1, 2, 3].map((nth) =>
        api('POST', `${device.path}/messages`, { recipient: { username: name(nth) }, type: 'text', body: 'Hi' }),
      ),
      ...[4, 5, 6].map((nth) => api('PUT', `/v1/consent/@${name(nth)}`, { status: 'opted_out' })),
      ...[7, 8].map((nth) => api('POST', '/v1/contacts', { username: name(nth) })),
      api('POST', `${device.path}/validate`, { phones: [ANNA] }),
      api('GET', `${device.path}/people/@${name(9)}`),
    ];
    const answers = await gateway.during(Promise.all(asks));
    const refused = answers.filter(({ body }) => body.code === 'RATE_LIMITED');
    assert.deepEqual(
      refused.map(({ status, headers }) => [status, headers.get('ratelimit-limit')]),
      [[429, '10']],
    );
    assert.equal((await api('POST', `${device.path}/validate`, { phones: [ANNA] })).status, 429);
    const { invalid_numbers } = (await api('POST', '/v1/consent/bulk', { phones: ['@some.name'], status: 'opted_out' })).body;
    assert.equal(invalid_numbers[0].reason, 'unknown_username');
  });
});
