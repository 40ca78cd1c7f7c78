import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, type Ear, link, logIn, type MakeWorld } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;
const shopJid = `${SHOP}@s.whatsapp.net`;

/** A message in: delivered until it is acknowledged. */
export function receiving(makeWorld: MakeWorld): void {
  describe('a device that receives messages', () => {
    it("reports a person's message with its sender", async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ name: 'Anna' });
      const netId = await world.phone(ANNA).writes(SHOP, 'are you open?');
      const { at, chatAlt: _, fromAlt: __, ...message } = (await shop.hears('received')).message;
      const content = { type: 'text', body: 'are you open?' };
      assert.deepEqual(message, { netId, chat: annaJid, from: annaJid, fromName: 'Anna', content, quotes: null });
      assert.equal(typeof at, 'number');
    });

    it('reports messages again at each login until they are acknowledged, in their original order', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const ids = [await world.phone(ANNA).writes(SHOP, 'one'), await world.phone(ANNA).writes(SHOP, 'two')];
      await first.hears('received', 2);
      first.connection.close();
      await first.hears('closed');

      ids.push(await world.phone(ANNA).writes(SHOP, 'three'));
      const second = await logIn(world, credentials);
      await second.hears('received', 3);
      assert.deepEqual(received(second), ids);
      second.connection.acknowledge(ids[0] ?? '');
      second.connection.acknowledge(ids[2] ?? '');
      await second.catchesUp();
      second.connection.close();
      await second.hears('closed');

      const third = await logIn(world, credentials);
      await third.hears('received');
      await third.catchesUp();
      assert.deepEqual(received(third), [ids[1]]);
    });

    it('reports each message under a unique id', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      for (let i = 0; i < 50; i += 1) await world.phone(ANNA).writes(SHOP, 'same words');
      await shop.hears('received', 50);
      assert.equal(new Set(received(shop)).size, 50);
    });

    it('receives 500 waiting messages in order', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const ids: string[] = [];
      for (let i = 0; i < 500; i += 1) ids.push(await world.phone(ANNA).writes(SHOP, `${i}`));
      const shop = await logIn(world, credentials);
      for (let i = 0; i < 500; i += 1) shop.connection.acknowledge((await shop.hears('received', i + 1)).message.netId);
      assert.deepEqual(received(shop), ids);
    });

    it('reports many unacknowledged messages again in their original order', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const ids: string[] = [];
      for (let i = 0; i < 300; i += 1) ids.push(await world.phone(ANNA).writes(SHOP, `${i}`));
      await first.hears('received', 100);
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      for (let i = 0; i < 300; i += 1) second.connection.acknowledge((await second.hears('received', i + 1)).message.netId);
      assert.deepEqual(received(second), ids);
    });

    it('does not report messages that it sends to its own number', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      shop.sends('m1', SHOP, 'note to self');
      await shop.hears('receipt');
      await shop.catchesUp();
      assert.deepEqual(received(shop), []);
      assert.equal((await world.phone(SHOP).shows()).length, 1);
    });

    it('receives every message, as do all other devices of the number', async (t) => {
      const world = await makeWorld(t);
      const one = await aDevice(world, SHOP);
      const two = await aDevice(world, SHOP);
      const netId = await world.phone(ANNA).writes(SHOP, 'hello');
      assert.equal((await one.hears('received')).message.netId, netId);
      assert.equal((await two.hears('received')).message.netId, netId);
    });

    it("reports a message that another person's device sent, and its phone shows the message", async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const anna = await aDevice(world, ANNA);
      anna.sends('m1', SHOP, 'from a machine');
      const { message } = await shop.hears('received');
      assert.deepEqual([message.netId, message.from], ['m1', annaJid]);
      await anna.hears('receipt');
      const [shown] = await world.phone(SHOP).shows();
      assert.deepEqual(shown?.content, { type: 'text', body: 'from a machine' });
    });

    it('reports messages written on the phone until they are stored, but never its own messages', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      first.sends('m1', ANNA);
      await first.hears('acked');
      const netId = await world.phone(SHOP).writes(ANNA, 'we open at nine');
      const { message } = await first.hears('wrote');
      const content = { type: 'text', body: 'we open at nine' };
      assert.deepEqual([message.netId, message.chat, message.from, message.content], [netId, annaJid, shopJid, content]);
      assert.deepEqual((await world.phone(ANNA).shows()).at(-1)?.content, content);
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      await second.hears('wrote');
      second.connection.acknowledge(netId);
      await second.catchesUp();
      second.connection.close();
      await second.hears('closed');
      const third = await logIn(world, credentials);
      await third.catchesUp();
      assert.deepEqual(ofMessages(third.events), []);
      assert.deepEqual(ofMessages(first.events), ['wrote'], 'once, and never as if somebody else had written it');
    });

    it("reports its owner's actions on the phone, in chats and in groups", async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const group = await world.group([SHOP, ANNA]);
      const inGroup = await world.phone(SHOP).writes(group, 'hello all');
      const inChat = await world.phone(SHOP).writes(ANNA, 'helo');
      await shop.hears('wrote', 2);
      assert.deepEqual(
        shop.all('wrote').map(({ message: { netId, chat, from } }) => [netId, chat, from]),
        [
          [inGroup, group, shopJid],
          [inChat, annaJid, shopJid],
        ],
      );
      await world.phone(SHOP).does(ANNA, inChat, { kind: 'edited', body: 'hello' });
      const { target, chat, from, body } = await shop.hears('edited');
      assert.deepEqual([target, chat, from, body], [inChat, annaJid, shopJid, 'hello']);
      await world.phone(SHOP).does(ANNA, inChat, { kind: 'deleted' });
      assert.equal((await shop.hears('deleted')).from, shopJid);
    });

    it('reports messages sent by another device of the same number', async (t) => {
      const world = await makeWorld(t);
      const one = await aDevice(world, SHOP);
      const two = await aDevice(world, SHOP);
      one.sends('m1', ANNA, 'from the first');
      const { message } = await two.hears('wrote');
      assert.deepEqual([message.netId, message.chat, message.from], ['m1', annaJid, shopJid]);
      await one.catchesUp();
      assert.deepEqual(one.all('wrote'), []);
    });

    it('reports a group message with the group as its chat and the author as its sender', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const group = await world.group([SHOP, ANNA]);
      await world.phone(ANNA).writes(group, 'hello all');
      const { message } = await shop.hears('received');
      assert.equal(message.chat, group);
      assert.ok([message.from, message.fromAlt].includes(annaJid));
    });
  });
}

const ofMessages = (events: Ear['events']): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type === 'received' || type === 'wrote');

const received = (ear: Ear): readonly string[] => ear.all('received').map(({ message }) => message.netId);
