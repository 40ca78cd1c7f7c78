import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

describe('a group that changes to hidden addresses', () => {
  it('gets the messages that are sent after the network reported the change', async (t) => {
    const { world, shop, group, shown } = await aGroup(t);
    group.addressing = 'lid';
    world.peer.phone(SHOP).missesGroups();
    await shop.hears('groupsStale');
    shop.sends('m2', group.jid, 'two');
    await shop.hears('acked', 2);
    assert.deepEqual(await shown(), ['one', 'two']);
  });

  it('refuses the first message, and accepts it when it is sent again', async (t) => {
    const { shop, group, shown } = await aGroup(t);
    group.addressing = 'lid';
    shop.sends('m2', group.jid, 'two');
    assert.equal((await shop.hears('refused')).reason, 'refused_421');
    shop.sends('m2', group.jid, 'two');
    await shop.hears('acked', 2);
    assert.deepEqual(await shown(), ['one', 'two']);
  });
});

async function aGroup(t: TestContext) {
  const world = await overThePeer(t);
  const shop = await aDevice(world, SHOP);
  const group = world.peer.group([SHOP, ANNA], { addressing: 'pn' });
  shop.sends('m1', group.jid, 'one');
  await shop.hears('acked');
  const shown = async (): Promise<readonly string[]> => {
    await world.pass(500);
    return world.peer
      .contact(ANNA)
      .shows()
      .map(({ text }) => text);
  };
  return { world, shop, group, shown };
}
