import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { proto } from '../../../../actors/network/whatsapp/library.ts';
import { embedded } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const DAY_S = 86_400;
const EPHEMERAL_SETTING = 3;

it('the disappearing-message timer of a chat is sent with every message, as on phones', async (t) => {
  const gateway = await aRealGateway(t, embedded);
  const { peer, until } = gateway;
  const api = gateway.as(await gateway.signUp(OWNER));
  const path = await gateway.linked(api, SHOP);
  const anna = peer.contact(ANNA);
  const seconds = (): number => Math.floor(gateway.clock.now() / 1_000);
  const chat = async () => (await api('GET', `${path}/chats/${ANNA}`)).body;
  const setting = (ephemeralExpiration: number) => ({ protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration } });
  const contextOf = (message: proto.IMessage) => {
    const { expiration, ephemeralSettingTimestamp, disappearingMode } = message.extendedTextMessage?.contextInfo ?? {};
    return [expiration, Number(ephemeralSettingTimestamp ?? 0) > 0, disappearingMode?.trigger];
  };
  const sent = async (to: string, body: string) => {
    await api('POST', `${path}/messages`, { chat_id: to, type: 'text', body });
    return until(
      `"${body}" arrived`,
      () =>
        peer
          .contact(to)
          .shows()
          .find(({ text }) => text === body)?.message,
    );
  };

  await anna.writes(SHOP, setting(DAY_S));
  await until('the chat has it', async () => (await chat()).ephemeral === DAY_S);
  assert.deepEqual(contextOf(await sent(ANNA, 'Only today')), [DAY_S, true, 1]);
  assert.equal((await sent(BUDI, 'For ever')).conversation, 'For ever');

  // Values of the network only, and no setting from the future: a later one of the person holds all the same.
  await anna.writes(SHOP, setting(1));
  const future = { expiration: 7 * DAY_S, ephemeralSettingTimestamp: seconds() + 1_000_000 };
  await anna.writes(SHOP, { extendedTextMessage: { text: 'Hi', contextInfo: future } });
  await until('the chat has the other', async () => (await chat()).ephemeral === 7 * DAY_S);
  await gateway.clock.advance(2_000);
  await anna.writes(SHOP, setting(0));
  await until('it is off', async () => (await chat()).ephemeral === 0);
  assert.equal((await sent(ANNA, 'It stays')).conversation, 'It stays');

  const changed = await api('PATCH', `${path}/chats/${ANNA}`, { ephemeral: 90 * DAY_S });
  assert.deepEqual([changed.status, changed.body.ephemeral], [200, 90 * DAY_S]);
  assert.deepEqual(contextOf(await sent(ANNA, 'Three months')), [90 * DAY_S, true, 1]);
});
