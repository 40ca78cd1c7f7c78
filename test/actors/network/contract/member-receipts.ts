import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, type Ear, link, logIn, type MakeWorld, type World } from '../world.ts';

const SHOP = '6281100000001';
const ANNA = '6281211110001';
const BUDI = '6281211110002';

/** Waits for `count` receipts and returns the number of members by message and step. */
async function told(world: World, ear: Ear, count: number): Promise<Readonly<Record<string, number>>> {
  const all = () => ear.all('memberReceipts').flatMap(({ receipts }) => receipts);
  for (let tries = 0; tries < 400 && all().length < count; tries += 1) await world.pass(10);
  await ear.catchesUp();
  const steps = new Set(all().map(({ netId, member, what }) => `${member} ${netId} ${what}`));
  const groups = Map.groupBy(steps, (step) => step.slice(step.indexOf(' ') + 1));
  return Object.fromEntries([...groups].map(([step, members]) => [step, members.length]));
}

/** Receipts of the members of a group, one by one. */
export function memberReceipts(makeWorld: MakeWorld): void {
  describe('receipts of individual members', () => {
    it('show which members of a group have received and read a message before all members have', async (t) => {
      const world = await makeWorld(t);
      const shop = await aDevice(world, SHOP);
      const group = await world.group([SHOP, ANNA, BUDI]);
      await world.phone(BUDI).is({ reads: false });
      shop.sends('m1', group);
      await shop.hears('acked');
      assert.deepEqual(await told(world, shop, 3), { 'm1 delivered': 2, 'm1 read': 1 });
      await shop.hears('receipt');
      assert.deepEqual(
        shop.all('receipt').map(({ status }) => status),
        ['delivered'],
      );
    });

    it('are reported again after each login until they are stored', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const group = await world.group([SHOP, ANNA]);
      await world.phone(ANNA).is({ reads: false });
      first.sends('m1', group);
      assert.deepEqual(await told(world, first, 1), { 'm1 delivered': 1 });
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      assert.deepEqual(await told(world, second, 1), { 'm1 delivered': 1 });
      for (const { token } of second.all('memberReceipts')) second.connection.acknowledge(token);
      await second.catchesUp();
      for (const { token } of second.all('receipt')) second.connection.acknowledge(token);
      await world.pass(200);
      second.connection.close();
      await second.hears('closed');
      const third = await logIn(world, credentials);
      await world.pass(500);
      await third.catchesUp();
      assert.deepEqual(third.all('memberReceipts'), []);
    });
  });
}
