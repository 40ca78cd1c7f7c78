import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { bytesOf, child, children, type Stanza } from '../../../network-peer/stanza.ts';
import { type Ear, link, logIn } from '../world.ts';
import { assertReportable } from './a-report.ts';
import { byDesign } from './by-design.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

async function aShop(t: TestContext, prepare: (world: PeerWorld) => unknown = () => {}): Promise<{ world: PeerWorld; shop: Ear }> {
  const world = await overThePeer(t);
  await prepare(world);
  const shop = await logIn(world, await link(world, SHOP));
  await shop.catchesUp();
  await world.pass(500);
  return { world, shop };
}

const written = (world: PeerWorld, id: string): readonly Stanza[] =>
  world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id } }).map(({ stanza }) => stanza);

/** Sends one text and waits for the network's word on it. */
async function sends({ world, shop }: { world: PeerWorld; shop: Ear }, id: string, to: string): Promise<Stanza> {
  shop.sends(id, to);
  const isAnswered = (): boolean => [...shop.all('acked'), ...shop.all('refused')].some(({ netId }) => netId === id);
  for (let tries = 0; tries < 500 && !isAnswered(); tries += 1) await world.pass(10);
  await world.pass(500);
  await shop.catchesUp();
  assert.deepEqual(shop.all('refused'), []);
  return written(world, id).at(-1) ?? assert.fail(`${id} was not written`);
}

describe('the token that permits messages to a person', () => {
  for (const isMigrated of [true, false])
    it(`arrives with the history even without messages, for ${isMigrated ? 'a migrated' : 'an unmigrated'} account`, async (t) => {
      const scene = await aShop(t, ({ peer }) => {
        peer.phone(SHOP).isMigrated(isMigrated);
        peer.contact(ANNA).wantsTokens([SHOP]);
      });
      const stanza = await sends(scene, 'm1', ANNA);
      const given = scene.world.peer.phone(SHOP).account.tokens.get(scene.world.peer.contact(ANNA).account);
      assert.deepEqual(bytesOf(stanza, 'tctoken'), given);
      assert.deepEqual(scene.shop.all('received'), []);
    });

  it('is replaced by a proof until the person sends a token', async (t) => {
    const scene = await aShop(t, ({ peer }) => {
      peer.phone(SHOP).provesToStrangers();
      peer.contact(ANNA).wantsTokens();
    });
    const { world } = scene;
    for (const id of ['m1', 'm2', 'm3']) {
      const stanza = await sends(scene, id, ANNA);
      assert.ok(child(stanza, 'cstoken') && !child(stanza, 'tctoken'), id);
    }
    world.peer.contact(ANNA).givesToken(SHOP);
    await scene.shop.catchesUp();
    await world.pass(500);
    for (const id of ['m4', 'm5']) {
      const stanza = await sends(scene, id, ANNA);
      assert.ok(child(stanza, 'tctoken') && !child(stanza, 'cstoken'), id);
    }
    assert.equal(world.peer.contact(ANNA).arrivals('m5'), 1);
  });

  it("uses the phone's latest salt, from a history or the shared settings", async (t) => {
    const scene = await aShop(t, ({ peer }) => {
      peer.phone(SHOP).setsSalt(randomBytes(32));
      peer.contact(ANNA).wantsTokens();
    });
    const { world } = scene;
    const phone = world.peer.phone(SHOP);
    const proof = async (id: string): Promise<Stanza | undefined> => child(await sends(scene, id, ANNA), 'cstoken');
    // The network takes no proof that was made of another salt.
    const first = await proof('m1');
    phone.setsSalt(randomBytes(32));
    await world.pass(500);
    const second = await proof('m2');
    assert.ok(first && second && !bytesOf(first).equals(bytesOf(second)));
    phone.setsSalt(null);
    await world.pass(500);
    world.peer.contact(ANNA).account.wantsToken = false;
    assert.equal(await proof('m3'), undefined);
  });

  it('is not replaced by a proof if the feature is disabled', async (t) => {
    const world = await overThePeer(t, { habits: ['lid_first', 'history'] });
    world.peer.phone(SHOP).provesToStrangers();
    const shop = await logIn(world, await link(world, SHOP));
    await shop.catchesUp();
    const stanza = await sends({ world, shop }, 'm1', ANNA);
    assert.equal(child(stanza, 'cstoken'), undefined);
  });

  for (const proof of ['token', 'proof'] as const)
    it(`is also included in a resent message, as a ${proof}`, async (t) => {
      const scene = await aShop(t, ({ peer }) => {
        peer.phone(SHOP).isMigrated(true);
        if (proof === 'proof') peer.phone(SHOP).provesToStrangers();
        peer.contact(ANNA).wantsTokens(proof === 'token' ? [SHOP] : []);
      });
      const { world } = scene;
      const anna = world.peer.contact(ANNA);
      await sends(scene, 'm1', ANNA);
      await anna.forgets(SHOP);
      await sends(scene, 'm2', ANNA);
      for (let tries = 0; tries < 200 && anna.arrivals('m2') === 0; tries += 1) await world.pass(10);
      assert.equal(anna.arrivals('m2'), 1);
      const again = written(world, 'm2').at(-1) ?? assert.fail('it was not sent again');
      assert.equal(again.attrs['device_fanout'], 'false');
      assert.equal(again.attrs['peer_recipient_pn'], anna.jid);
      assert.ok(child(again, proof === 'token' ? 'tctoken' : 'cstoken'));
    });
});

describe('the token for reporting a message', () => {
  for (const isMigrated of [true, false])
    it(`is sent with first, later and resent texts, for ${isMigrated ? 'a migrated' : 'an unmigrated'} account`, async (t) => {
      const scene = await aShop(t, ({ peer }) => peer.phone(SHOP).isMigrated(isMigrated));
      const { world, shop } = scene;
      const [phone, anna] = [world.peer.phone(SHOP), world.peer.contact(ANNA)];
      const [from, to] = isMigrated ? [phone.lid, anna.lid] : [phone.jid, anna.jid];
      const isReportable = (id: string, stanza: Stanza): Promise<void> =>
        assertReportable({ stanza, message: anna.shown(id).message, from, to });
      await isReportable('cold', await sends(scene, 'cold', ANNA));
      await anna.writes(SHOP, 'hello', { addressing: isMigrated ? 'lid' : 'pn' });
      await shop.hears('received');
      await sends(scene, 'second', ANNA);
      await isReportable('warm', await sends(scene, 'warm', ANNA));
      await anna.forgets(SHOP);
      await sends(scene, 'again', ANNA);
      for (let tries = 0; tries < 200 && anna.arrivals('again') === 0; tries += 1) await world.pass(10);
      const all = written(world, 'again');
      assert.equal(all.length, 2);
      for (const stanza of all) await isReportable('again', stanza);
    });

  for (const addressing of ['pn', 'lid'] as const)
    it(`is sent with first and later texts to a group with ${addressing === 'pn' ? 'phone number' : 'hidden'} addresses`, async (t) => {
      const scene = await aShop(t);
      const { peer } = scene.world;
      const { jid: to } = peer.group([SHOP, ANNA], { addressing });
      const from = addressing === 'lid' ? peer.phone(SHOP).lid : peer.phone(SHOP).jid;
      for (const id of ['first', 'second', 'third']) {
        const stanza = await sends(scene, id, to);
        await assertReportable({ stanza, message: peer.contact(ANNA).shown(id).message, from, to });
      }
    });
});

describe('an ack', () => {
  it("triggers a query of the recipient's devices with the next message if it names other devices", async (t) => {
    const scene = await aShop(t);
    const { peer } = scene.world;
    await sends(scene, 'm1', ANNA);
    const lift = peer.fault({ kind: 'drop', way: 'down', tag: 'notification', where: ({ attrs }) => attrs['type'] === 'devices' });
    const device = peer.contact(ANNA).addsDevice();
    lift();
    const sealedFor = (stanza: Stanza) => children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs['jid']);
    const isFor = (stanza: Stanza) => sealedFor(stanza).some((jid) => jid?.includes(`:${device}@`));
    assert.equal(isFor(await sends(scene, 'm2', ANNA)), false);
    assert.equal(isFor(await sends(scene, 'm3', ANNA)), true);
    const asked = peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'usync' } }).length;
    await sends(scene, 'm4', ANNA);
    assert.equal(peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'usync' } }).length, asked, 'what is right is kept');
  });

  it("triggers only one lookup at a time of the recipient's hidden address", async (t) => {
    const scene = await aShop(t);
    const { peer } = scene.world;
    await sends(scene, 'm1', ANNA);
    const asked = (): number => peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'usync' } }).length;
    const before = asked();
    peer.fault({ kind: 'acks', says: { refresh_lid: 'true' }, phone: SHOP, times: 3 });
    for (const id of ['m2', 'm3', 'm4']) scene.shop.sends(id, ANNA);
    await scene.shop.hears('acked', 4);
    await scene.world.pass(500);
    assert.ok(asked() > before && asked() <= before + 2, `${asked() - before} questions`);
  });
});

describe('a text encoded without the library', () => {
  for (const isMigrated of [true, false])
    it(`is the same as the library's text, for ${isMigrated ? 'a migrated' : 'an unmigrated'} account`, async (t) => {
      const scene = await aShop(t, ({ peer }) => {
        peer.phone(SHOP).isMigrated(isMigrated);
        peer.contact(ANNA).wantsTokens([SHOP]);
      });
      const first = await sends(scene, 'm1', ANNA);
      await scene.world.peer.contact(ANNA).writes(SHOP, 'hello', { addressing: isMigrated ? 'lid' : 'pn' });
      await scene.shop.hears('received');
      await sends(scene, 'm2', ANNA);
      const later = await sends(scene, 'm3', ANNA);
      assert.deepEqual(byDesign(later), byDesign(first));
    });
});
