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
/** Nobody hears that the device asks for a message again. */
const NOT_AGAIN: Fault = { kind: 'drop', way: 'up', tag: 'receipt', phone: SHOP, where: ({ attrs }) => attrs['type'] === 'retry' };

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

/** What she writes reaches the phone, and nobody can read what reaches the device. */
async function aShopThatCannotRead(t: TestContext) {
  const shop = await aShop(t);
  const { peer } = shop;
  return {
    ...shop,
    writes: async (text = 'Hello', group?: string) => {
      peer.fault({ kind: 'spoil', phone: SHOP, times: 1 });
      return peer.contact(ANNA).writes(group ?? SHOP, text);
    },
  };
}

const heardBy = (ear: Ear) => ear.all('received').map(({ message: { netId } }) => netId);

describe('a message that arrives without its content, such as one sent from an advertisement', () => {
  it('is requested from the phone once, and then delivered until it is stored', async (t) => {
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

  it('is requested again at the next login if the request did not reach the phone', async (t) => {
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

  it('is delivered once, even if an offline phone gets two requests and responds to both', async (t) => {
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

  it('is delivered once, even if the complete message arrives before the phone responds', async (t) => {
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

  it('gets a receipt if the complete message arrives while the copy from the phone is being stored', async (t) => {
    const shop = await aShop(t);
    const ear = await shop.enters();
    const id = await shop.writes();
    await ear.hears('received');
    await shop.writes({ id, isForPhone: false });
    await ear.catchesUp();
    ear.connection.acknowledge(id);
    await ear.catchesUp();
    assert.equal(shop.peer.journal.stanzas({ way: 'up', tag: 'receipt', attrs: { id } }).length, 1);
  });

  it('is no longer requested after 14 days', async (t) => {
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

describe('a message that cannot be decrypted', () => {
  it('is requested again immediately, without delaying later messages', async (t) => {
    const shop = await aShopThatCannotRead(t);
    shop.peer.fault(NOT_AGAIN);
    const ear = await shop.enters();
    for (const text of ['one', 'two', 'three', 'four']) await shop.writes(text);
    const netId = await shop.peer.contact(ANNA).writes(SHOP, 'Hello');
    assert.equal((await ear.hears('received')).message.netId, netId);
    assert.equal(shop.peer.journal.stanzas({ way: 'up', tag: 'receipt', attrs: { type: 'retry' } }).length, 4);
  });

  it('is not requested from the phone if its sender resends it', async (t) => {
    const shop = await aShopThatCannotRead(t);
    const ear = await shop.enters();
    const netId = await shop.writes();
    await ear.hears('received');
    await shop.pass(20_000);
    assert.deepEqual([heardBy(ear), shop.asks()], [[netId], 0]);
  });

  for (const where of ['a chat', 'a group'])
    it(`is requested from the phone if its sender does not resend it: ${where}`, async (t) => {
      const shop = await aShopThatCannotRead(t);
      const { jid } = shop.peer.group([SHOP, ANNA]);
      shop.peer.fault(NOT_AGAIN);
      const ear = await shop.enters();
      const isInGroup = where === 'a group';
      const first = await shop.writes('one', isInGroup ? jid : undefined);
      const second = await shop.writes('two', isInGroup ? jid : undefined);
      await shop.pass(20_000);
      await ear.hears('received', 2);
      assert.deepEqual(
        ear.all('received').map(({ message: { netId, chat, content } }) => [netId, chat, content]),
        [
          [first, isInGroup ? jid : `${ANNA}@s.whatsapp.net`, { type: 'text', body: 'one' }],
          [second, isInGroup ? jid : `${ANNA}@s.whatsapp.net`, { type: 'text', body: 'two' }],
        ],
      );
      assert.equal(shop.asks(), 1);
      assert.deepEqual(shop.peer.ledger.violations, []);
    });

  it('is requested by the next process after a crash', async (t) => {
    const shop = await aShopThatCannotRead(t);
    shop.peer.fault(NOT_AGAIN);
    const first = await shop.enters();
    const netId = await shop.writes();
    await first.catchesUp();
    await shop.dies(first);
    const second = await shop.enters();
    assert.equal((await second.hears('received')).message.netId, netId);
  });
});
