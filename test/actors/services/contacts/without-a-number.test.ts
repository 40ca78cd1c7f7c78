import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../../../actors/network/sandbox/addresses.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { anAddressBook } from './contacts-fixture.ts';

const LID = lidOf(ANNA);
const BUDI = '6281211110002';

/** Anna wrote from her hidden address and has a username. */
async function aHiddenCustomer(scope: Scope, kind: StoreKind) {
  const book = await anAddressBook(scope, kind);
  const { gateway, acme, ask } = book;
  const device = await acme.linked(PHONE);
  const anna = gateway.sandbox.phone(ANNA);
  anna.set({ name: 'Anna', lid: true, tellsNumber: false, username: 'Anna.W' });
  const write = (body: string) => anna.write({ to: PHONE, content: { type: 'text', body } });
  write('Hello');
  const listed = async (query = '') => (await ask(200, 'GET', `/v1/contacts?${query}`)).contacts;
  await gateway.until('she is a contact', async () => (await listed()).length > 0);
  return { ...book, device, anna, write, listed };
}

eachStore('a person who writes without a number', (kind) => {
  it('becomes a contact with a hidden address and a username, and can be found by either', async (t) => {
    const { listed, ask } = await aHiddenCustomer(t, kind);
    const [anna] = await listed();
    const { phone, lid, username, country, name } = anna;
    assert.deepEqual({ phone, lid, username, country, name }, { phone: null, lid: LID, username: 'Anna.W', country: null, name: 'Anna' });
    assert.deepEqual(await ask(200, 'GET', `/v1/contacts/${anna.id}`), anna);
    for (const query of [`phone=${LID}`, 'phone=@anna.w', 'q=anna.', 'q=@ANNA', 'q=Anna'])
      assert.equal((await listed(query)).length, 1, query);
    for (const query of ['phone=@anna', 'q=99', `q=${LID.slice(2, 8)}`]) assert.equal((await listed(query)).length, 0, query);
  });

  it('is shown by name in the inbox and can be edited, but cannot be given a number', async (t) => {
    const { listed, ask, device, api } = await aHiddenCustomer(t, kind);
    const [{ id }] = await listed();
    const changed = await ask(200, 'PATCH', `/v1/contacts/${id}`, { name: 'Anna Widodo', tags: ['VIP'] });
    assert.deepEqual([changed.lid, changed.tags], [LID, ['VIP']]);
    const { chats } = await ask(200, 'GET', `${device.path}/chats`);
    const { chat_id, chat_name, phone, lid, username } = chats[0];
    assert.deepEqual(
      { chat_id, chat_name, phone, lid, username },
      { chat_id: LID, chat_name: 'Anna Widodo', phone: null, lid: LID, username: 'Anna.W' },
    );
    assert.equal((await ask(200, 'GET', '/v1/inbox?q=anna.w')).chats.length, 1);
    const [message] = (await ask(200, 'GET', `${device.path}/messages`)).messages;
    assert.deepEqual([message.sender, message.sender_username], [LID, 'Anna.W']);
    const [told] = (await ask(200, 'GET', '/v1/events/pull?events=message.received')).events;
    assert.deepEqual(told.data.sender, { chat_id: LID, phone: null, lid: LID, username: 'Anna.W', name: 'Anna' });
    const refused = await api('PATCH', `/v1/contacts/${id}`, { phone: BUDI });
    assert.deepEqual([refused.status, refused.body.code, refused.body.details[0].path], [400, 'VALIDATION_FAILED', 'phone']);
  });

  it('matches segment rules for a missing number, consent and tags, but no rules for numbers', async (t) => {
    const { ask, add, listed } = await aHiddenCustomer(t, kind);
    await add(BUDI, { name: 'Budi' });
    const [, anna] = await listed();
    await ask(200, 'PUT', `/v1/consent/${LID}`, { status: 'opted_out' });
    const names = async (rule: object) => {
      const { count, sample } = await ask(200, 'POST', '/v1/segments/preview', { rules: { all: [rule] } });
      assert.equal(count, sample.length);
      return sample.map(({ name }: { name: string }) => name);
    };
    assert.equal(anna.name, 'Anna');
    assert.deepEqual(await names({ field: 'phone', op: 'exists', value: false }), ['Anna']);
    assert.deepEqual(await names({ field: 'phone', op: 'exists' }), ['Budi']);
    assert.deepEqual(await names({ field: 'phone', op: 'contains', value: '99' }), []);
    assert.deepEqual(await names({ field: 'phone', op: 'starts_with', value: '+99' }), []);
    assert.deepEqual(await names({ field: 'phone', op: 'is_not', value: BUDI }), ['Anna']);
    assert.deepEqual(await names({ field: 'consent', op: 'is', value: 'opted_out' }), ['Anna']);
  });

  it('can be added manually, only once, by hidden address', async (t) => {
    const { ask, listed } = await aHiddenCustomer(t, kind);
    const other = lidOf(BUDI);
    const made = await ask(201, 'POST', '/v1/contacts', { lid: other, name: 'Budi' });
    assert.deepEqual([made.phone, made.lid, made.name], [null, other, 'Budi']);
    await ask(409, 'POST', '/v1/contacts', { lid: other });
    await ask(201, 'POST', '/v1/contacts', { lid: LID, name: 'Anna of sales' });
    await ask(400, 'POST', '/v1/contacts', { lid: LID, phone: ANNA });
    await ask(400, 'POST', '/v1/contacts', { lid: 'anna@lid' });
    assert.deepEqual(
      (await listed()).map(({ name }: { name: string }) => name),
      ['Budi', 'Anna of sales'],
    );
  });

  it('receives campaigns for a tag unless opted out, and is reported without a number', async (t) => {
    const { gateway, ask, add, api, listed, device } = await aHiddenCustomer(t, kind);
    const [{ id }] = await listed();
    await ask(200, 'PUT', '/v1/settings', { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    await ask(200, 'PATCH', `/v1/contacts/${id}`, { tags: ['VIP'] });
    await add(BUDI, { name: 'Budi', tags: ['VIP'] });
    const launched = async (name: string) => {
      const draft = { session_id: device.id, name, message_type: 'text', body: `${name} {phone}`, tag: 'VIP', consent_attested: true };
      const { id: blast } = await ask(201, 'POST', '/v1/blasts', draft);
      await ask(200, 'POST', `/v1/blasts/${blast}/start`, { consent_attested: true });
      await gateway.until('it is over', async () => (await ask(200, 'GET', `/v1/blasts/${blast}`)).status === 'completed');
      const { recipients } = await ask(200, 'GET', `/v1/blasts/${blast}/recipients`);
      const report = String((await api('GET', `/v1/blasts/${blast}/report`)).body)
        .trim()
        .split('\n');
      return { found: recipients.find(({ lid }: { lid: string | null }) => lid === LID), report };
    };
    const { found, report } = await launched('First');
    assert.deepEqual([found.phone, found.error], [null, null]);
    assert.equal(report[0], '"phone","status","error","sent_at","delivered_at","read_at","lid","username"');
    assert.ok(
      report.some((line) => line.startsWith('"",') && line.endsWith(`"${LID}","Anna.W"`)),
      report.join('\n'),
    );
    await ask(200, 'PUT', `/v1/consent/${LID}`, { status: 'opted_out' });
    assert.equal((await launched('Second')).found.error, 'opted_out');
    const texts = gateway.sandbox
      .phone(ANNA)
      .messages()
      .map(({ content }) => content.type === 'text' && content.body);
    assert.deepEqual(texts, ['First ']);
  });

  it('is merged with the contact for the number once the network reveals it', async (t) => {
    const { gateway, ask, add, listed, anna } = await aHiddenCustomer(t, kind);
    const [{ id: former }] = await listed();
    await ask(200, 'PATCH', `/v1/contacts/${former}`, { tags: ['VIP'] });
    const { id } = await add(ANNA, { name: 'Anna of accounting' });
    anna.set({ tellsNumber: true });
    await gateway.until('they are one', async () => (await listed()).length === 1);
    const [{ phone, lid, username, name, tags }] = await listed();
    const expected = { phone: ANNA, lid: LID, username: 'Anna.W', name: 'Anna of accounting', tags: ['VIP'] };
    assert.deepEqual({ phone, lid, username, name, tags }, expected);
    assert.deepEqual(
      (await listed(`merged=${former}`)).map((one: { id: string }) => one.id),
      [id],
    );
    assert.equal((await listed(`phone=${LID}`))[0].id, id);
  });

  it('loses a username once the network reports the username for another person', async (t) => {
    const { gateway, anna, write, listed } = await aHiddenCustomer(t, kind);
    const budi = gateway.sandbox.phone(BUDI);
    budi.set({ name: 'Budi', lid: true, tellsNumber: false, username: 'anna.w' });
    budi.write({ to: PHONE, content: { type: 'text', body: 'I am Anna now' } });
    await gateway.until('both are contacts', async () => (await listed()).length === 2);
    const names = async () => (await listed()).map(({ username }: { username: string | null }) => username);
    await gateway.until('the name went over', async () => JSON.stringify(await names()) === '["anna.w",null]');
    anna.set({ username: 'anna_w' });
    write('A new name');
    await gateway.until('she has another one', async () => JSON.stringify(await names()) === '["anna.w","anna_w"]');
  });
});
