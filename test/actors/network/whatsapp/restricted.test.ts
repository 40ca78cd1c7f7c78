import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

it('a restricted number is reported with the end of the restriction and the number of new chats left', async (t) => {
  const world = await overThePeer(t);
  const shop = await aDevice(world, SHOP);
  const until = (Math.floor(world.clock.now() / 1_000) + 3_600) * 1_000;
  world.peer.phone(SHOP).isRestricted({ until, reason: 'BIZ_QUALITY', used: 3, quota: 5 });
  const first = await shop.hears('restricted');
  assert.deepEqual([first.until, first.newChatsQuota], [until, null]);
  const { newChatsUsed, newChatsQuota } = await shop.hears('restricted', 2);
  assert.deepEqual([newChatsUsed, newChatsQuota], [3, 5]);
  world.peer.fault({ kind: 'refuse-messages', code: 463, phone: SHOP, times: 1 });
  shop.sends('m1', ANNA);
  assert.deepEqual(await shop.hears('refused'), { type: 'refused', netId: 'm1', reason: 'refused_463' });
  world.peer.phone(SHOP).isRestricted(null);
  await shop.hears('lifted');
});
