import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConnectionEvent } from '../../../../actors/network/port.ts';
import { aDevice, type Ear, link, logIn, type MakeWorld } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const shopJid = `${SHOP}@s.whatsapp.net`;
const annaJid = `${ANNA}@s.whatsapp.net`;

/** What happens to a message after it was sent. */
export function acts(makeWorld: MakeWorld): void {
  describe('reactions, edits and deletions', () => {
    it('are acked and shown on the phone when a device sends them, and duplicates change nothing', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const anna = world.phone(ANNA);
      const written = await anna.writes(SHOP, 'Hi');
      shop.sends('m1', ANNA, 'helo');
      shop.sends('m2', ANNA, 'wrong chat');
      const own = (netId: string) => ({ chat: annaJid, netId, from: null });
      for (let copies = 0; copies < 2; copies += 1) {
        shop.connection.react({ netId: 'r1', target: { chat: annaJid, netId: written, from: annaJid }, emoji: '👍', at: 1 });
        shop.connection.edit({ netId: 'e1', target: own('m1'), body: 'hello', at: 1 });
        shop.connection.erase({ netId: 'd1', target: own('m2') });
      }
      await shop.hears('acked', 8);
      await world.pass(100);
      await shop.catchesUp();
      assert.deepEqual((await anna.marks(written)).reactions, { [SHOP]: '👍' });
      assert.deepEqual([(await anna.marks('m1')).body, (await anna.marks('m2')).deleted], ['hello', true]);
      shop.connection.react({ netId: 'r2', target: { chat: annaJid, netId: written, from: annaJid }, emoji: '', at: 2 });
      await shop.hears('acked', 9);
      await world.pass(100);
      assert.deepEqual((await anna.marks(written)).reactions, {});
    });

    it('from other people are reported again at each login until they are acknowledged', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      first.sends('m1', ANNA);
      await first.hears('receipt', 2);
      first.connection.send({
        netId: 'p1',
        to: annaJid,
        content: { type: 'poll', name: 'Open on Sunday?', choices: ['Yes', 'No'] },
        quotes: null,
      });
      await first.hears('receipt', 4);
      const anna = world.phone(ANNA);
      const ids = [
        await anna.does(SHOP, 'm1', { kind: 'reaction', emoji: '❤️' }),
        await anna.does(SHOP, 'm1', { kind: 'edited', body: 'new' }),
        await anna.does(SHOP, 'm1', { kind: 'deleted' }),
        await anna.does(SHOP, 'p1', { kind: 'vote', choices: ['Yes'] }),
      ];
      await first.hears('vote');
      assert.deepEqual(
        actsOf(first).map(({ netId }) => netId),
        ids,
      );
      first.connection.acknowledge(first.all('edited')[0]?.token ?? '');
      await first.catchesUp();
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      const { choices, ...vote } = await second.hears('vote');
      assert.deepEqual([choices, vote.target, vote.from, vote.chat], [['Yes'], 'p1', annaJid, annaJid]);
      assert.deepEqual(
        actsOf(second).map(({ netId }) => netId),
        [ids[0], ids[2], ids[3]],
      );
      assert.equal(second.all('reaction')[0]?.emoji, '❤️');
    });

    it('are rejected if the chat is not on the network', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ onNetwork: false });
      shop.connection.edit({ netId: 'e1', target: { chat: annaJid, netId: 'm1', from: null }, body: 'x', at: 1 });
      assert.deepEqual(await shop.hears('refused'), { type: 'refused', netId: 'e1', reason: 'not_on_network' });
    });
  });

  describe('a logged-in device', () => {
    it('reports a receipt again at each login until it is acknowledged', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      first.sends('m1', ANNA);
      first.connection.acknowledge((await first.hears('receipt')).token);
      await first.hears('receipt', 2);
      await first.catchesUp();
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      const receipt = await second.hears('receipt');
      assert.deepEqual([receipt.status, receipt.netIds], ['read', ['m1']]);
      second.connection.acknowledge(receipt.token);
      await second.catchesUp();
      second.connection.close();
      const third = await logIn(world, credentials);
      await world.pass(500);
      await third.catchesUp();
      assert.deepEqual(third.all('receipt'), []);
    });

    it('reports how a call ended: answered on the phone, missed, or hung up by the caller', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const anna = world.phone(ANNA);
      const group = await world.group([SHOP, ANNA]);
      const id = await anna.calls(SHOP, { video: true, group });
      const call = await shop.hears('call');
      assert.deepEqual([call.callId, call.video, call.group, call.from], [id, true, group, annaJid]);
      await world.phone(SHOP).answersCall(ANNA, id);
      await shop.hears('callEnded');
      await world.pass(3_000);
      await anna.endsCall(SHOP, id, false);
      const over = await shop.hears('callEnded', 2);
      assert.ok(over.durationMs !== null && over.durationMs >= 2_000 && over.durationMs <= 4_000, `${over.durationMs} ms`);
      const missed = await anna.calls(SHOP);
      await anna.endsCall(SHOP, missed, true);
      await shop.hears('callEnded', 3);
      const given = await anna.calls(SHOP);
      await anna.endsCall(SHOP, given, false);
      await shop.hears('callEnded', 4);
      const ends = shop.all('callEnded').map(({ callId, outcome, from }) => [callId, outcome, from]);
      assert.deepEqual(ends, [
        [id, 'answered', annaJid],
        [id, 'ended', annaJid],
        [missed, 'missed', annaJid],
        [given, 'missed', annaJid],
      ]);
    });

    it('reports a call without answering it', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const id = await world.phone(ANNA).calls(SHOP);
      const { callId, from, video } = await shop.hears('call');
      assert.deepEqual([callId, from, video], [id, annaJid, false]);
    });
  });

  describe('a person with a hidden address', () => {
    it('is reported under the hidden address, with the number if it is known', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const anna = world.phone(ANNA);
      await anna.is({ lid: true });
      await anna.writes(SHOP, 'Hi');
      const { message } = await shop.hears('received');
      assert.match(message.from, /^\d+@lid$/);
      assert.deepEqual([message.chat, message.chatAlt, message.fromAlt], [message.from, annaJid, annaJid]);
      shop.sends('m1', message.from, 'to the hidden address');
      await shop.hears('acked');
      await world.pass(100);
      assert.deepEqual(
        (await anna.shows()).map(({ netId }) => netId),
        ['m1'],
      );
    });

    it('can reveal their number later', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ lid: true, tellsNumber: false });
      await world.phone(ANNA).writes(SHOP, 'Hi');
      const { message } = await shop.hears('received');
      assert.deepEqual([message.chatAlt, message.fromAlt], [undefined, undefined]);
      await world.phone(ANNA).is({ tellsNumber: true });
      const { address: lid, phone } = await shop.hears('identity');
      assert.deepEqual([lid, phone], [message.from, ANNA]);
    });
  });

  describe('typing indicators and read receipts', () => {
    it("reach the other person's phone when a device sends them", async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const anna = world.phone(ANNA);
      const netId = await anna.writes(SHOP, 'Hi');
      shop.connection.presence(annaJid, 'composing');
      shop.connection.markRead(annaJid, [{ netId, from: annaJid }]);
      await world.pass(100);
      await shop.catchesUp();
      assert.deepEqual(await anna.presences(), [{ from: SHOP, chat: shopJid, state: 'composing' }]);
      assert.deepEqual((await anna.marks(netId)).seenBy, [SHOP]);
    });
  });
}

type PendingAction = Extract<ConnectionEvent, { readonly target: string }>;

const actsOf = (ear: Ear): readonly PendingAction[] => ear.events.filter((event): event is PendingAction => 'target' in event);
