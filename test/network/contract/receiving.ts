import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, type Ear, link, logIn, type MakeWorld } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;

/** A message in: delivered until it is acknowledged. */
export function receiving(makeWorld: MakeWorld): void {
  describe('receiving', () => {
    it('hears what a person writes, and who wrote it', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      await world.phone(ANNA).is({ name: 'Anna' });
      const netId = await world.phone(ANNA).writes(SHOP, 'are you open?');
      const { at, chatAlt: _, fromAlt: __, ...message } = (await shop.hears('received')).message;
      const content = { type: 'text', body: 'are you open?' };
      assert.deepEqual(message, { netId, chat: annaJid, from: annaJid, fromName: 'Anna', content, quotes: null });
      assert.equal(typeof at, 'number');
    });

    it('gets a message again at each login until it is acknowledged, in the order written', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const ids = [await world.phone(ANNA).writes(SHOP, 'one'), await world.phone(ANNA).writes(SHOP, 'two')];
      await first.hears('received', 2);
      first.line.close();
      await first.hears('closed');

      ids.push(await world.phone(ANNA).writes(SHOP, 'three'));
      const second = await logIn(world, credentials);
      await second.hears('received', 3);
      assert.deepEqual(received(second), ids);
      second.line.acknowledge(ids[0] ?? '');
      second.line.acknowledge(ids[2] ?? '');
      await second.catchesUp();
      second.line.close();
      await second.hears('closed');

      const third = await logIn(world, credentials);
      await third.hears('received');
      await third.catchesUp();
      assert.deepEqual(received(third), [ids[1]]);
    });

    it('gives each message an id of its own', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      for (let i = 0; i < 50; i += 1) await world.phone(ANNA).writes(SHOP, 'same words');
      await shop.hears('received', 50);
      assert.equal(new Set(received(shop)).size, 50);
    });

    it('goes on past many that wait', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const ids: string[] = [];
      for (let i = 0; i < 500; i += 1) ids.push(await world.phone(ANNA).writes(SHOP, `${i}`));
      const shop = await logIn(world, credentials);
      for (let i = 0; i < 500; i += 1) shop.line.acknowledge((await shop.hears('received', i + 1)).message.netId);
      assert.deepEqual(received(shop), ids);
    });

    it('gets many unacknowledged messages again in the order written', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const ids: string[] = [];
      for (let i = 0; i < 300; i += 1) ids.push(await world.phone(ANNA).writes(SHOP, `${i}`));
      await first.hears('received', 100);
      first.line.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      for (let i = 0; i < 300; i += 1) second.line.acknowledge((await second.hears('received', i + 1)).message.netId);
      assert.deepEqual(received(second), ids);
    });

    it('does not hear what it sends to its own number', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      shop.sends('m1', SHOP, 'note to self');
      await shop.hears('receipt');
      await shop.catchesUp();
      assert.deepEqual(received(shop), []);
      assert.equal((await world.phone(SHOP).shows()).length, 1);
    });

    it('reaches every device of the number', async (t) => {
      const world = await makeWorld(t);
      const one = await aDevice(world, SHOP);
      const two = await aDevice(world, SHOP);
      const netId = await world.phone(ANNA).writes(SHOP, 'hello');
      assert.equal((await one.hears('received')).message.netId, netId);
      assert.equal((await two.hears('received')).message.netId, netId);
    });

    it('hears what another device of this network sends to its number, and so does its phone', async (t) => {
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

    it('hears a group as the conversation and its writer as the sender', async (t) => {
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

const received = (ear: Ear): readonly string[] => ear.all('received').map(({ message }) => message.netId);
