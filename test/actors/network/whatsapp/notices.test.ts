import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, type Ear, link, logIn, type World } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** The process ends before it stored anything, and the next one logs in. */
async function dies(world: World, ear: Ear, credentials: Parameters<typeof logIn>[1]): Promise<Ear> {
  ear.connection.close();
  await ear.hears('closed');
  return logIn(world, credentials);
}

describe('network notifications', () => {
  for (const type of ['call', 'restricted', 'lifted'] as const) {
    it(`are delivered again until they are stored, but not afterwards: ${type}`, async (t) => {
      const world = await overThePeer(t);
      const credentials = await link(world, SHOP);
      const first = await logIn(world, credentials);
      const anna = world.peer.phone(ANNA);
      await anna.is({ isHidden: true, tellsNumber: false });
      const until = (Math.floor(world.clock.now() / 1_000) + 3_600) * 1_000;
      if (type === 'call') anna.calls(SHOP);
      if (type === 'restricted') world.peer.phone(SHOP).isRestricted({ until, reason: 'BIZ_QUALITY' });
      if (type === 'lifted') world.peer.phone(SHOP).isRestricted(null);
      await first.hears(type);
      world.restart();
      const second = await dies(world, first, credentials);
      const again = await second.hears(type);
      await second.catchesUp();
      const attrs = type === 'call' ? { class: 'call' } : { class: 'notification', type: 'mex' };
      const acks = { way: 'up', tag: 'ack', attrs } as const;
      assert.deepEqual(world.peer.journal.stanzas(acks), []);
      second.connection.acknowledge(again.token);
      // While nobody was there it rang in vain.
      if (type === 'call') second.connection.acknowledge((await second.hears('callEnded')).token);
      await world.peer.journal.untilStanza(acks);
      world.restart();
      const third = await dies(world, second, credentials);
      await world.pass(500);
      await third.catchesUp();
      assert.deepEqual(third.all(type), []);
    });
  }

  it('are acknowledged even if their type is a built-in property name', async (t) => {
    const world = await overThePeer(t);
    await aDevice(world, SHOP);
    world.peer.phone(SHOP).isToldOf('constructor');
    await world.peer.journal.untilStanza({ way: 'up', tag: 'ack', attrs: { class: 'notification', type: 'mex' } });
  });

  it('are acknowledged even before earlier ones are stored, for example the end of a call', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.phone(ANNA);
    anna.hangsUp(SHOP, anna.calls(SHOP));
    await shop.hears('call');
    shop.connection.acknowledge((await shop.hears('callEnded')).token);
    await shop.catchesUp();
    const acks = world.peer.journal.stanzas({ way: 'up', tag: 'ack', attrs: { class: 'call' } });
    assert.deepEqual(
      acks.map(({ stanza }) => stanza.attrs['id']?.split('-').at(-1)),
      ['terminate'],
    );
    assert.equal(shop.all('call').length, 1);
  });
});
