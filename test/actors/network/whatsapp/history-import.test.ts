import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const LONG_AGO = Date.UTC(2026, 0, 1);

eachStore('the message history from before a phone was linked', (kind) => {
  it('is logged as already read, without side effects', async (t) => {
    const gateway = await aRealGateway(t, kind, { history: 2 });
    const { peer, until } = gateway;
    const api = gateway.as(await gateway.signUp(OWNER));
    const lines = [
      { text: 'too long ago', isOurs: false, at: LONG_AGO },
      { text: 'STOP', isOurs: false, at: LONG_AGO + 60_000, id: 'STOPPED' },
      { text: 'As you wish', isOurs: true, at: LONG_AGO + 120_000 },
    ];
    peer.phone(SHOP).remembers(ANNA, lines);
    const path = await gateway.linked(api, SHOP);
    const chat = async () => (await api('GET', `${path}/chats/${ANNA}`)).body;
    const known = await until('its chats are there', async () => {
      const found = await chat();
      return found.last_message === 'As you wish' && found;
    });
    assert.deepEqual([known.unread_count, known.last_message_at], [0, LONG_AGO + 120_000]);
    const log = async () =>
      (await api('GET', `${path}/messages`)).body.messages.map((one: { direction: string; body: string }) => [one.direction, one.body]);
    assert.deepEqual(await log(), [
      ['outbound', 'As you wish'],
      ['inbound', 'STOP'],
    ]);

    await peer.contact(ANNA).writes(SHOP, 'Are you open?');
    await until('her message came', async () => (await chat()).unread_count === 1);
    assert.equal((await log()).length, 3);
    const consent = async () => (await api('GET', `/v1/consent/history/%2B${ANNA}`)).body.current;
    const events = async () =>
      (await api('GET', '/v1/events/pull?limit=200')).body.events
        .filter(({ type }: { type: string }) => type.startsWith('message.'))
        .map(({ type, data }: { type: string; data: { body: string } }) => [type, data.body]);
    assert.deepEqual(await until('it is told', async () => (await events()).length > 0 && events()), [
      ['message.received', 'Are you open?'],
    ]);
    assert.equal(await consent(), null);
    assert.equal((await api('POST', `${path}/chats/${ANNA}/read`)).body.unread_count, 0);

    // The network brings it as a new one after all: then it is one.
    await peer.contact(ANNA).writes(SHOP, 'STOP', { id: 'STOPPED' });
    await until('her wish is heard', async () => (await consent())?.status === 'opted_out');
    assert.equal((await log()).filter(([, body]: readonly string[]) => body === 'STOP').length, 1);
  });

  it('is imported completely, even if a message has an impossible time', async (t) => {
    const gateway = await aRealGateway(t, kind, { history: 2 });
    const { peer, until } = gateway;
    const api = gateway.as(await gateway.signUp(OWNER));
    peer.phone(SHOP).remembers(ANNA, [
      { text: 'Hello', isOurs: false, at: LONG_AGO },
      { text: 'Never', isOurs: false, at: Number.MAX_SAFE_INTEGER },
    ]);
    const path = await gateway.linked(api, SHOP);
    const logins = peer.journal.events('logged-in').length;
    const bodies = async () => (await api('GET', `${path}/messages`)).body.messages.map(({ body }: { body: string }) => body);
    assert.deepEqual(await until('both are in the log', async () => (await bodies()).length === 2 && bodies()), ['Hello', 'Never']);
    assert.equal(peer.journal.events('logged-in').length, logins);
  });
});
