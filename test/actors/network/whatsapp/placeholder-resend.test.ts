import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Fault } from '../../../network-peer/faults.ts';
import { type Ear, finished, link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const DAY_MS = 86_400_000;
/** The phone is asked, and never hears it. */
const UNHEARD: Fault = { kind: 'drop', way: 'up', tag: 'message', phone: SHOP };

/** A linked device, and somebody whose words the network brings to its phone alone. */
async function aShop(t: TestContext) {
  const world = await overThePeer(t);
  const { peer } = world;
  const anna = peer.contact(ANNA);
  anna.isCalled('Anna');
  const credentials = await link(world, SHOP);
  const ofPhone = (way: 'up' | 'down') => peer.journal.stanzas({ way, tag: 'message', attrs: { category: 'peer' } }).length;
  const until = (isSo: () => boolean) => finished(world, peer.journal.until(isSo));
  return {
    ...world,
    asks: () => ofPhone('up'),
    asked: (times: number) => until(() => ofPhone('up') >= times),
    /** The phone comes online, and answers so often. */
    async isAnswered(times: number) {
      const before = ofPhone('down');
      await peer.phone(SHOP).is({ isOnline: true });
      await until(() => ofPhone('down') - before >= times);
    },
    writes: (how = {}) => anna.writes(SHOP, 'I saw your advertisement', { isForPhone: true, ...how }),
    enters: () => logIn(world, credentials),
    /** As a process that dies. */
    async dies(ear: Ear) {
      ear.connection.close();
      await ear.hears('closed');
      world.restart();
    },
  };
}

const heardBy = (ear: Ear) => ear.all('received').map(({ message: { netId } }) => netId);

describe('a message that comes without what it says, as after an advertisement', () => {
  it('is requested from the phone, and is delivered like any other until it is stored', async (t) => {
    const shop = await aShop(t);
    const first = await shop.enters();
    const netId = await shop.writes();
    const { message } = await first.hears('received');
    assert.deepEqual(
      [message.netId, message.chat, message.fromName, message.content],
      [netId, `${ANNA}@s.whatsapp.net`, 'Anna', { type: 'text', body: 'I saw your advertisement' }],
    );
    await shop.dies(first);
    const second = await shop.enters();
    second.connection.acknowledge((await second.hears('received')).message.netId);
    await second.catchesUp();
    await shop.dies(second);
    const third = await shop.enters();
    await third.catchesUp();
    assert.deepEqual(heardBy(third), []);
    assert.equal(shop.asks(), 1);
    assert.deepEqual(shop.peer.ledger.violations, []);
  });

  it('is requested again at the next login, if the request never reached the phone', async (t) => {
    const shop = await aShop(t);
    const first = await shop.enters();
    const lift = shop.peer.fault(UNHEARD);
    const netId = await shop.writes();
    await shop.asked(1);
    await shop.dies(first);
    lift();
    const second = await shop.enters();
    assert.equal((await second.hears('received')).message.netId, netId);
  });

  it('is delivered once, though the phone was off, got two requests and answers both', async (t) => {
    const shop = await aShop(t);
    await shop.peer.phone(SHOP).is({ isOnline: false });
    const first = await shop.enters();
    const netId = await shop.writes();
    await shop.asked(1);
    await shop.dies(first);
    const second = await shop.enters();
    await shop.asked(2);
    await shop.isAnswered(2);
    await second.catchesUp();
    assert.deepEqual(heardBy(second), [netId]);
  });

  it('is delivered once, though it arrives complete before the phone answers', async (t) => {
    const shop = await aShop(t);
    await shop.peer.phone(SHOP).is({ isOnline: false });
    const ear = await shop.enters();
    const id = await shop.writes();
    await shop.asked(1);
    await shop.writes({ id, isForPhone: false });
    await ear.hears('received');
    await shop.isAnswered(1);
    await ear.catchesUp();
    assert.deepEqual(heardBy(ear), [id]);
  });

  it('is given up after 14 days', async (t) => {
    const shop = await aShop(t);
    const first = await shop.enters();
    const lift = shop.peer.fault(UNHEARD);
    await shop.writes();
    await shop.asked(1);
    await shop.dies(first);
    shop.clock.jump(13 * DAY_MS);
    const second = await shop.enters();
    await shop.asked(2);
    await shop.dies(second);
    lift();
    shop.clock.jump(2 * DAY_MS);
    const third = await shop.enters();
    await third.catchesUp();
    assert.deepEqual([heardBy(third), shop.asks()], [[], 2]);
  });
});
