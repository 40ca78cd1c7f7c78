import '../../../network-peer/silent-logger.ts';
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { aDevice, type Ear, link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** Receipts as `<netId> <status>`; every one is acknowledged. */
function heardBy(ear: Ear): readonly string[] {
  return ear.all('receipt').flatMap(({ token, netIds, status }) => {
    ear.connection.acknowledge(token);
    return netIds.map((netId) => `${netId} ${status}`);
  });
}

function storeIdentities(ear: Ear): void {
  for (const { token } of ear.all('identity')) ear.connection.acknowledge(token);
}

async function aHiddenReader(t: TestContext) {
  const world = await overThePeer(t);
  const credentials = await link(world, SHOP);
  const anna = world.peer.contact(ANNA);
  anna.account.hidesLid = true;
  await anna.is({ tellsNumber: false });
  const shop = await logIn(world, credentials);
  // The library opens a session with a number only if it knows the hidden address.
  await anna.writes(SHOP, 'hello');
  await shop.hears('received');
  shop.sends('m1', ANNA);
  const { chats } = await shop.hears('receipt', 2);
  assert.deepEqual([chats, shop.all('identity')], [[anna.lid], []]);
  assert.deepEqual(heardBy(shop), ['m1 delivered', 'm1 read']);
  await world.pass(1_000);
  return { world, credentials, anna, shop };
}

describe('receipts from a hidden address without a known number', () => {
  it('are reported again exactly once after the mapping is stored', async (t) => {
    const { world, credentials, anna, shop } = await aHiddenReader(t);
    await anna.tellsNumber();
    await shop.hears('identity');
    await world.pass(1_000);
    assert.equal(shop.all('receipt').length, 2, 'the receiver could not match them yet');
    storeIdentities(shop);
    await shop.hears('receipt', 4);
    assert.deepEqual(heardBy(shop).slice(2), ['m1 delivered', 'm1 read']);
    await world.pass(1_000);
    shop.connection.close();
    await shop.hears('closed');
    world.restart();
    const next = await logIn(world, credentials);
    await next.catchesUp();
    await world.pass(1_000);
    assert.deepEqual([next.all('receipt'), world.peer.ledger.violations], [[], []]);
  });

  it('are reported again after the mapping is stored, even if the process restarts before that', async (t) => {
    const { world, credentials, anna, shop } = await aHiddenReader(t);
    await anna.tellsNumber();
    await shop.hears('identity');
    await world.pass(1_000);
    shop.connection.close();
    await shop.hears('closed');
    world.restart();
    const second = await logIn(world, credentials);
    await second.hears('identity');
    storeIdentities(second);
    await second.hears('receipt', 2);
    await world.pass(1_000);
    second.connection.close();
    await second.hears('closed');
    world.restart();
    const third = await logIn(world, credentials);
    await third.hears('receipt', 2);
    assert.deepEqual(heardBy(third), ['m1 delivered', 'm1 read'], 'the last process ended before they were stored');
  });

  it('are held until the mapping is stored, even if the process restarts after a message revealed the number', async (t) => {
    const { world, credentials, anna, shop } = await aHiddenReader(t);
    await anna.is({ tellsNumber: true });
    await anna.writes(SHOP, 'this is my number');
    await shop.hears('received', 2);
    await world.pass(1_000);
    shop.connection.close();
    await shop.hears('closed');
    world.restart();
    const next = await logIn(world, credentials);
    await next.hears('identity');
    await world.pass(1_000);
    assert.deepEqual(next.all('receipt'), [], 'the receiver could not match them yet');
    storeIdentities(next);
    await next.hears('receipt', 2);
    assert.deepEqual(heardBy(next), ['m1 delivered', 'm1 read']);
  });

  it('are kept for a week, and only for messages to the hidden address', async (t) => {
    const { world, credentials, anna, shop } = await aHiddenReader(t);
    shop.sends('m2', anna.lid);
    await shop.hears('receipt', 4);
    heardBy(shop);
    await world.pass(1_000);
    shop.connection.close();
    await shop.hears('closed');
    world.restart();
    world.clock.jump(7 * 86_400_000 + 60_000);
    const second = await logIn(world, credentials);
    await anna.tellsNumber();
    await second.hears('identity');
    storeIdentities(second);
    await world.pass(1_000);
    assert.deepEqual(second.all('receipt'), []);
  });

  it('are reported only once if the person is known by the hidden address alone', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.contact(ANNA);
    anna.hidesNumber();
    shop.sends('m1', anna.lid);
    await shop.hears('receipt', 2);
    assert.deepEqual(heardBy(shop), ['m1 delivered', 'm1 read']);
    await anna.tellsNumber();
    await shop.hears('identity');
    storeIdentities(shop);
    await world.pass(1_000);
    assert.equal(shop.all('receipt').length, 2);
  });
});
