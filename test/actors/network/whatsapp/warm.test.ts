import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { CredentialStore } from '../../../../actors/network/port.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { child, children, type Stanza } from '../../../network-peer/stanza.ts';
import { aDevice, type Ear, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** How often a message has gone the library's way so far: it asks for leave to change each. */
async function libraryWays(t: TestContext): Promise<() => number> {
  const { DEFAULT_CONNECTION_CONFIG } = await loadLibrary();
  const { patchMessageBeforeSending } = DEFAULT_CONNECTION_CONFIG;
  let ways = 0;
  t.after(() => Object.assign(DEFAULT_CONNECTION_CONFIG, { patchMessageBeforeSending }));
  DEFAULT_CONNECTION_CONFIG.patchMessageBeforeSending = (message) => {
    ways += 1;
    return message;
  };
  return () => ways;
}

const written = (world: PeerWorld, id: string): Stanza =>
  world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id } })[0]?.stanza ?? assert.fail(`${id} was not written`);
const sealedFor = (stanza: Stanza): readonly string[] =>
  children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs['jid'] ?? '');

/** Waits until all of it was read, and nothing is under way. */
async function sent(world: PeerWorld, shop: Ear, id: string, to: string): Promise<Stanza> {
  shop.sends(id, to);
  const isAcked = (): boolean => shop.all('acked').some(({ netId }) => netId === id);
  for (let tries = 0; tries < 300 && !isAcked(); tries += 1) await world.pass(5);
  assert.ok(isAcked(), `${id} was never acked`);
  await shop.catchesUp();
  await world.pass(500);
  return written(world, id);
}

const shown = (world: PeerWorld, digits: string): readonly string[] =>
  world.peer
    .contact(digits)
    .shows()
    .map(({ text }) => text);

describe('a text to people who are known', () => {
  it('goes past the library, to the same devices, until one comes or goes', async (t) => {
    const world = await overThePeer(t);
    const ways = await libraryWays(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.contact(ANNA);
    const computer = anna.addsDevice();
    const first = await sent(world, shop, 'm1', ANNA);
    await anna.writes(SHOP, 'Hi');
    await sent(world, shop, 'm2', ANNA);
    const before = ways();
    assert.ok(before > 0);
    const own = await sent(world, shop, 'm3', ANNA);
    assert.equal(ways(), before, 'our own way');
    assert.deepEqual(sealedFor(own), sealedFor(first));
    const second = anna.addsDevice();
    await shop.catchesUp();
    const withSecond = await sent(world, shop, 'm4', ANNA);
    assert.ok(ways() > before, 'the library’s way');
    assert.ok(sealedFor(withSecond).some((jid) => jid.includes(`:${second}@`)));
    anna.removesDevice(computer);
    await shop.catchesUp();
    const without = await sent(world, shop, 'm5', ANNA);
    assert.ok(!sealedFor(without).some((jid) => jid.includes(`:${computer}@`)));
    assert.deepEqual(shown(world, ANNA), ['m1', 'Hi', 'm2', 'm3', 'm4', 'm5']);
    assert.deepEqual([world.peer.ledger.violations, world.peer.journal.events('unreadable')], [[], []]);
  });

  it('who come with new keys is sealed with them', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    for (const id of ['m1', 'm2']) await sent(world, shop, id, ANNA);
    world.peer.contact(ANNA).reinstalls();
    await shop.catchesUp();
    await sent(world, shop, 'm3', ANNA);
    assert.deepEqual([shown(world, ANNA).at(-1), world.peer.contact(ANNA).arrivals('m3')], ['m3', 1]);
    assert.deepEqual(world.peer.ledger.violations, []);
  });

  it('leaves when its keys are stored, and uses none twice where the process dies before that', async (t) => {
    let isHeld = false;
    const wrap = (store: CredentialStore): CredentialStore => ({
      ...store,
      commit: (buffer) => (isHeld ? new Promise(() => {}) : store.commit(buffer)),
    });
    const world = await overThePeer(t, { wrap });
    const ways = await libraryWays(t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    for (const id of ['m1', 'm2']) for (const to of [ANNA]) await sent(world, shop, `${id} ${to}`, to);
    const before = ways();
    isHeld = true;
    for (const to of [ANNA]) shop.sends(`m3 ${to}`, to);
    await world.pass(500);
    assert.deepEqual(
      [ANNA].flatMap((to) => world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: `m3 ${to}` } })),
      [],
    );
    assert.equal(ways(), before);
    world.restart();
    isHeld = false;
    const again = await logIn(world, credentials);
    for (const to of [ANNA]) await sent(world, again, `m3 ${to}`, to);
    for (const to of [ANNA]) assert.equal(world.peer.contact(ANNA).arrivals(`m3 ${to}`), 1);
    assert.deepEqual([world.peer.ledger.violations, world.peer.journal.events('unreadable')], [[], []]);
  });
});
