import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, link, logIn, type MakeWorld } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;

/** What the number's owner reads on their phone. */
export function seen(makeWorld: MakeWorld): void {
  describe('a chat read on the phone', () => {
    it("is reported after the chat's messages, and again at each login until it is acknowledged", async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const ids = [await world.phone(ANNA).writes(SHOP, 'one'), await world.phone(ANNA).writes(SHOP, 'two')];
      await world.phone('6281100000003').writes(SHOP, 'of somebody else');
      await world.pass(100);
      await world.phone(SHOP).looksAt(ANNA);
      const first = await logIn(world, credentials);
      const { chat, netIds } = await first.hears('seen');
      assert.deepEqual([chat, netIds.toSorted()], [annaJid, ids.toSorted()]);
      const order = first.events.map(({ type }) => type).filter((type) => type === 'received' || type === 'seen');
      assert.deepEqual(order, ['received', 'received', 'received', 'seen']);
      first.connection.close();
      await first.hears('closed');

      const second = await logIn(world, credentials);
      second.connection.acknowledge((await second.hears('seen')).token);
      await second.catchesUp();
      second.connection.close();
      await second.hears('closed');
      const third = await logIn(world, credentials);
      await third.hears('received', 3);
      await third.catchesUp();
      assert.deepEqual(third.all('seen'), []);
    });

    it('can be a group or a chat with a hidden number, and does not change the status of sent messages', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const group = await world.group([SHOP, ANNA]);
      const inGroup = await world.phone(ANNA).writes(group, 'hello all');
      await world.phone(ANNA).is({ lid: true, tellsNumber: false });
      const inChat = await world.phone(ANNA).writes(SHOP, 'guess who');
      await shop.hears('received', 2);
      await world.pass(100);
      await world.phone(SHOP).looksAt(group);
      await world.phone(SHOP).looksAt(ANNA);
      await shop.hears('seen', 2);
      assert.deepEqual(
        shop.all('seen').map(({ netIds }) => netIds),
        [[inGroup], [inChat]],
      );
      assert.deepEqual(shop.all('receipt'), []);
    });
  });
}
