import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../../../actors/network/sandbox/addresses.ts';
import { aSchedulingFixture, textsOn } from '../../../actors/services/scheduling/scheduling-fixture.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const LID = lidOf(ANNA);
const CICI = '6281211110003';

/** Anna has a username and hides her number. */
async function aNamedPerson(scope: Scope, kind: StoreKind) {
  const fixture = await aSchedulingFixture(scope, kind);
  const { gateway, api, device } = fixture;
  const anna = gateway.sandbox.phone(ANNA);
  anna.set({ lid: true, tellsNumber: false, username: 'anna.w' });
  const send = (recipient: object, more: object = {}, headers = {}) =>
    gateway.during(api('POST', `${device.path}/messages`, { recipient, type: 'text', body: 'Hi', ...more }, headers));
  const arrived = (count: number) => gateway.until('it arrives', () => textsOn(gateway, ANNA).length === count);
  return { ...fixture, anna, send, arrived };
}

eachStore('sending to a person without a number', (kind) => {
  it('reaches the same chat by hidden address and by username', async (t) => {
    const { gateway, api, device, send, arrived } = await aNamedPerson(t, kind);
    assert.equal((await send({ lid: LID })).status, 202);
    assert.equal((await send({ username: '@Anna.W' })).status, 202);
    const { results } = (
      await gateway.during(
        api('POST', `${device.path}/messages/bulk`, {
          messages: [
            { recipient: { username: 'anna.w' }, type: 'text', body: 'Hi' },
            { recipient: { username: 'nobody.here' }, type: 'text', body: 'Hi' },
          ],
        }),
      )
    ).body;
    assert.deepEqual([results[0].status, results[1].code], ['queued', 'NOT_FOUND']);
    await arrived(3);
    const { messages } = (await api('GET', `${device.path}/messages`)).body;
    assert.deepEqual([...new Set(messages.map(({ chat_id }: { chat_id: string }) => chat_id))], [LID]);
    const copy = await gateway.during(
      api('POST', `${device.path}/messages/${messages[0].id}/forward`, { recipient: { username: 'anna.w' } }),
    );
    assert.equal(copy.status, 202);
    await arrived(4);
  });

  it('requires either chat_id or a recipient with exactly one kind of address', async (t) => {
    const { api, device, send } = await aNamedPerson(t, kind);
    const faults = async (body: object) => {
      const answer = await api('POST', `${device.path}/messages`, { type: 'text', body: 'Hi', ...body });
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      return answer.body.details.map(({ path }: { path: string }) => path);
    };
    assert.deepEqual(await faults({}), ['chat_id']);
    assert.deepEqual(await faults({ chat_id: ANNA, recipient: { lid: LID } }), ['recipient']);
    assert.deepEqual(await faults({ recipient: { username: 'www.anna' } }), ['recipient.username']);
    await faults({ recipient: { lid: LID, username: 'anna.w' } });
    await faults({ recipient: { lid: LID, key: '1234' } });
    for (const nobody of [{ username: 'nobody.here' }, { lid: '123456789012345@lid' }]) {
      const unknown = await send(nobody);
      assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND']);
    }
  });

  it('requires the key of a protected username, and never stores the key', async (t) => {
    const { anna, send, arrived } = await aNamedPerson(t, kind);
    anna.set({ usernameKey: '4071' });
    const without = await send({ username: 'anna.w' });
    assert.deepEqual([without.status, without.body.code], [409, 'USERNAME_KEY_REQUIRED']);
    const right = await send({ username: 'anna.w', key: '4071' }, {}, { 'idempotency-key': 'once' });
    assert.equal(right.status, 202, JSON.stringify(right.body));
    const again = await send({ username: 'anna.w', key: '4071' }, {}, { 'idempotency-key': 'once' });
    assert.deepEqual([again.status, again.body.idempotent_replay], [202, true]);
    const other = await send({ username: 'anna.w', key: '4072' }, {}, { 'idempotency-key': 'once' });
    assert.deepEqual([other.status, other.body.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    await arrived(1);
    for (let tries = 0; tries < 5; tries += 1) {
      const wrong = await send({ username: tries % 2 === 0 ? 'anna.w' : 'ANNA.W', key: '0000' });
      assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, 'recipient.key']);
    }
    const sixth = await send({ username: 'anna.w', key: '4071' });
    assert.deepEqual([sixth.status, sixth.body.code], [429, 'RATE_LIMITED']);
  });

  it('keeps using the resolved address after another person has taken the username', async (t) => {
    const { gateway, api, device, anna, arrived } = await aNamedPerson(t, kind);
    anna.set({ usernameKey: '4071' });
    const later = async (name: string) => {
      const body = { recipient: { username: 'anna.w', key: '4071' }, type: 'text', body: name, scheduled_at: gateway.clock.now() + 60_000 };
      const { status, body: made } = await gateway.during(api('POST', `${device.path}/scheduled`, body, { 'idempotency-key': name }));
      assert.equal(status, 201, JSON.stringify(made));
      assert.equal(made.chat_id, LID);
      return async () => (await api('GET', `${device.path}/scheduled/${made.id}`)).body;
    };
    await later('First');
    const stored = await gateway.store.collection({ name: 'scheduled', indexes: [] }).find({}).toArray();
    const keys = await gateway.store.collection({ name: 'idempotency', indexes: [] }).find({}).toArray();
    assert.ok(!JSON.stringify([stored, keys]).includes('4071'));
    await gateway.clock.advance(61_000);
    await arrived(1);
    const second = await later('Second');
    anna.set({ username: 'anna_w' });
    gateway.sandbox.phone(CICI).set({ username: 'anna.w' });
    await gateway.clock.advance(61_000);
    await gateway.until('it fails', async () => (await second()).status === 'failed');
    assert.equal((await second()).error, 'person_changed');
    assert.deepEqual([textsOn(gateway, ANNA), textsOn(gateway, CICI)], [['First'], []]);
  });
});

eachStore('the key of a username', (kind) => {
  it('can be guessed at most 20 times a day across all tenants and spellings of the username', async (t) => {
    const { gateway, anna } = await aNamedPerson(t, kind);
    anna.set({ usernameKey: '4071' });
    const codes: number[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      const tenant = await gateway.signUp(`Shop ${nth}`, `628121112000${nth}`);
      const device = await tenant.linked(`628121113000${nth}`);
      const recipient = { username: nth % 2 === 0 ? 'Anna.W' : 'anna.w', key: '0000' };
      for (let tries = 0; tries < 5; tries += 1) {
        const answer = await gateway.during(tenant.api('POST', `${device.path}/messages`, { recipient, type: 'text', body: 'Hi' }));
        codes.push(answer.status);
      }
    }
    assert.deepEqual(
      [400, 429].map((status) => codes.filter((one) => one === status).length),
      [20, 5],
    );
  });
});
