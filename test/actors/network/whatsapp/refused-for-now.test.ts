import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aDevice } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

it('a temporarily refused message is sent again under the same id after the requested pause', async (t) => {
  const world = await overThePeer(t);
  const shop = await aDevice(world, SHOP);
  world.peer.fault({ kind: 'refuse-messages', code: 429, backoff: 12, phone: SHOP, times: 1 });
  world.peer.fault({ kind: 'refuse-messages', code: 503, phone: SHOP, times: 1 });
  shop.sends('m1', ANNA);
  assert.deepEqual(await shop.hears('refused'), { type: 'refused', netId: 'm1', reason: 'refused_429', backoffMs: 12_000 });
  shop.sends('m1', ANNA);
  assert.deepEqual(await shop.hears('refused', 2), { type: 'refused', netId: 'm1', reason: 'refused_503' });
  shop.sends('m1', ANNA);
  assert.equal((await shop.hears('acked')).netId, 'm1');
  await world.pass(500);
  assert.deepEqual(
    world.peer
      .contact(ANNA)
      .shows()
      .map(({ text }) => text),
    ['m1'],
  );
});
