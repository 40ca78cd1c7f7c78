import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { CredentialStore } from '../../../../actors/network/port.ts';
import { loadLibrary } from '../../../../actors/network/whatsapp/library.ts';
import { child, children, type Stanza } from '../../../network-peer/stanza.ts';
import { aDevice, type Ear, finished, link, logIn } from '../world.ts';
import { byDesign } from './by-design.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

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

describe('a text to a known chat', () => {
  for (const to of [
    'a person',
    'a person by hidden address',
    'a group by number',
    'a group by hidden address',
    'a group with a timer',
  ] as const) {
    it(`is sent without the library, with the same result, until a device is added or removed: ${to}`, async (t) => {
      const world = await overThePeer(t);
      const ways = await libraryWays(t);
      if (to === 'a person by hidden address') world.peer.phone(SHOP).isMigrated(true);
      const shop = await aDevice(world, SHOP);
      const anna = world.peer.contact(ANNA);
      const computer = anna.addsDevice();
      const addressing = to === 'a group by number' ? 'pn' : 'lid';
      const isPerson = to.startsWith('a person');
      const group = world.peer.group([SHOP, ANNA, BUDI], { addressing });
      if (to === 'a group with a timer') group.ephemeral = 604_800;
      const chat = isPerson ? ANNA : group.jid;
      const first = await sent(world, shop, 'm1', chat);
      await anna.writes(SHOP, 'Hi');
      await sent(world, shop, 'm2', chat);
      const before = ways();
      assert.ok(before > 0);
      const own = await sent(world, shop, 'm3', chat);
      assert.equal(ways(), before, 'our own way');
      assert.deepEqual(byDesign(own), byDesign(first));
      assert.equal(child(own, 'participants') !== undefined, isPerson);
      const second = anna.addsDevice();
      await shop.catchesUp();
      const withSecond = await sent(world, shop, 'm4', chat);
      assert.ok(ways() > before, 'the library’s way');
      assert.ok(sealedFor(withSecond).some((jid) => jid.includes(`:${second}@`)));
      assert.deepEqual(byDesign(await sent(world, shop, 'm4 again', chat)), byDesign(withSecond));
      anna.removesDevice(computer);
      await shop.catchesUp();
      const without = await sent(world, shop, 'm5', chat);
      assert.ok(!sealedFor(without).some((jid) => jid.includes(`:${computer}@`)));
      assert.deepEqual(shown(world, ANNA), ['m1', 'Hi', 'm2', 'm3', 'm4', 'm4 again', 'm5']);
      assert.deepEqual([world.peer.ledger.violations, world.peer.journal.events('unreadable')], [[], []]);
    });
  }

  it('uses the new keys of a person who reinstalled the app', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    for (const id of ['m1', 'm2']) await sent(world, shop, id, ANNA);
    world.peer.contact(ANNA).reinstalls();
    await shop.catchesUp();
    await sent(world, shop, 'm3', ANNA);
    assert.deepEqual([shown(world, ANNA).at(-1), world.peer.contact(ANNA).arrivals('m3')], ['m3', 1]);
    assert.deepEqual(world.peer.ledger.violations, []);
  });

  it('is sent only after its keys are stored, so a crash never causes a key to be reused', async (t) => {
    let isHeld = false;
    const wrap = (store: CredentialStore): CredentialStore => ({
      ...store,
      commit: (buffer) => (isHeld ? new Promise(() => {}) : store.commit(buffer)),
    });
    const world = await overThePeer(t, { wrap });
    const ways = await libraryWays(t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    const group = world.peer.group([SHOP, ANNA, BUDI], { addressing: 'lid' }).jid;
    for (const id of ['m1', 'm2']) for (const to of [ANNA, group]) await sent(world, shop, `${id} ${to}`, to);
    const before = ways();
    isHeld = true;
    for (const to of [ANNA, group]) shop.sends(`m3 ${to}`, to);
    await world.pass(500);
    assert.deepEqual(
      [ANNA, group].flatMap((to) => world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: `m3 ${to}` } })),
      [],
    );
    assert.equal(ways(), before);
    world.restart();
    isHeld = false;
    const again = await logIn(world, credentials);
    for (const to of [ANNA, group]) await sent(world, again, `m3 ${to}`, to);
    for (const to of [ANNA, group]) assert.equal(world.peer.contact(ANNA).arrivals(`m3 ${to}`), 1);
    assert.deepEqual([world.peer.ledger.violations, world.peer.journal.events('unreadable')], [[], []]);
  });

  it('includes the group key again after a crash between storing and sending the text', async (t) => {
    let isHeld = false;
    const stored = Promise.withResolvers<void>();
    const wrap = (store: CredentialStore): CredentialStore => ({
      ...store,
      async commit(buffer) {
        await store.commit(buffer);
        if (!isHeld || !buffer.fresh.some(({ name }) => name.startsWith('sender-key/'))) return;
        stored.resolve();
        await new Promise(() => {});
      },
    });
    const world = await overThePeer(t, { wrap });
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    for (const digits of [ANNA, BUDI]) await sent(world, shop, `hello ${digits}`, digits);
    const group = world.peer.group([SHOP, ANNA, BUDI], { addressing: 'lid' }).jid;
    isHeld = true;
    shop.sends('m1', group);
    await finished(world, stored.promise);
    assert.deepEqual(world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm1' } }), [], 'it has not left');
    world.restart();
    isHeld = false;
    const again = await logIn(world, credentials);
    for (const id of ['m1', 'm2']) await sent(world, again, id, group);
    for (const digits of [ANNA, BUDI]) assert.deepEqual(shown(world, digits).slice(-2), ['m1', 'm2']);
    assert.deepEqual([sealedFor(written(world, 'm1')).length, sealedFor(written(world, 'm2')).length], [3, 0]);
    assert.deepEqual([world.peer.ledger.violations, world.peer.journal.events('unreadable')], [[], []]);
  });

  it('includes the group key again if the network refused the previous text that carried it', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const group = world.peer.group([SHOP, ANNA, BUDI], { addressing: 'lid' }).jid;
    world.peer.fault({ kind: 'refuse-messages', code: 479, phone: SHOP, times: 1 });
    shop.sends('m1', group);
    await shop.hears('refused');
    await sent(world, shop, 'm2', group);
    assert.equal(sealedFor(written(world, 'm2')).length, 3);
    assert.deepEqual(shown(world, ANNA), ['m2']);
    assert.deepEqual(world.peer.journal.events('unreadable'), []);
  });
  it('includes the group key again if the text that carried it is refused after the next one was sent', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    const group = world.peer.group([SHOP, ANNA, BUDI], { addressing: 'lid' }).jid;
    world.peer.fault({ kind: 'refuse-messages', code: 479, phone: SHOP, times: 1 });
    for (const id of ['m1', 'm2']) shop.sends(id, group);
    await shop.hears('refused');
    await shop.hears('acked');
    assert.deepEqual(sealedFor(written(world, 'm2')), [], 'it relied on the one before');
    world.restart();
    const again = await logIn(world, credentials);
    await sent(world, again, 'm3', group);
    assert.equal(sealedFor(written(world, 'm3')).length, 3);
  });
});
