import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
import type { Person } from '../../../network-peer/people/person.ts';
import { mappingSync } from '../../../network-peer/people/welcome.ts';
import { aDevice, Ear, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const CARL = '6281100000003';
/** The protocol message with which a person shares their number. */
const SHARE_PHONE_NUMBER = 11;

interface Scene {
  readonly world: PeerWorld;
  readonly shop: Ear;
  readonly anna: Person;
  readonly carl: Person;
}

/** A shop that chats with Anna by her number, and knows her hidden address; Carl is about to be a nuisance. */
async function aScene(t: TestContext): Promise<Scene> {
  const world = await overThePeer(t);
  const shop = await aDevice(world, SHOP);
  const [anna, carl] = [world.peer.contact(ANNA), world.peer.contact(CARL)];
  await anna.writes(SHOP, 'hello');
  await shop.hears('received');
  shop.sends('to anna', ANNA);
  await shop.hears('acked');
  await shop.catchesUp();
  await carl.is({ tellsNumber: false });
  return { world, shop, anna, carl };
}

const vcard = `BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nTEL;type=CELL;waid=${ANNA}:+${ANNA}\nEND:VCARD`;

/** What Carl can do to be taken for Anna. */
const TRICKS: Readonly<Record<string, (scene: Scene) => unknown>> = {
  'a message from a hidden address that claims another person’s number': ({ carl, anna }) =>
    carl.writes(SHOP, 'START', { addressing: 'lid', claims: { peer_recipient_pn: anna.jid, recipient_pn: anna.jid } }),
  'a message from a number that claims another person’s hidden address': ({ carl, anna }) =>
    carl.writes(SHOP, 'START', { addressing: 'pn', claims: { peer_recipient_lid: anna.lid, recipient_lid: anna.lid } }),
  'a message that claims another person’s username': ({ carl, anna }) =>
    carl.writes(SHOP, 'START', { addressing: 'lid', claims: { peer_recipient_username: 'anna', peer_recipient_pn: anna.jid } }),
  'a linked profile with another person’s number': ({ carl }) => carl.linksProfiles(ANNA),
  'another person’s contact card': async ({ carl }) => {
    await carl.is({ isHidden: true });
    return carl.writes(SHOP, { contactMessage: { displayName: 'Anna', vcard } });
  },
  'a shared number followed by another person’s contact card': async ({ carl }) => {
    await carl.is({ isHidden: true });
    await carl.writes(SHOP, { protocolMessage: { type: SHARE_PHONE_NUMBER } });
    return carl.writes(SHOP, { contactMessage: { displayName: 'me', vcard } });
  },
  'an address list that only our own phone may send': ({ carl, anna }) => {
    const forged = { ...anna.account, digits: ANNA, lid: carl.account.lid };
    return carl.writes(SHOP, mappingSync([Object.assign(Object.create(Object.getPrototypeOf(anna.account)), forged)]));
  },
  'a call that contains another person’s number': async ({ carl }) => {
    await carl.is({ isHidden: true });
    return carl.calls(SHOP, { number: ANNA });
  },
};

describe('the mapping between hidden addresses and numbers', () => {
  for (const [what, trick] of Object.entries(TRICKS)) {
    it(`is not changed by ${what}`, async (t) => {
      const scene = await aScene(t);
      const { world, shop, anna, carl } = scene;
      const known = shop.all('identity').length;
      await trick(scene);
      await world.pass(1_000);
      await shop.catchesUp();
      assert.deepEqual(shop.all('identity').slice(known), [], 'nobody is joined');
      for (const { message } of shop.all('received').slice(1)) {
        assert.deepEqual([message.chatAlt, message.fromAlt], [undefined, undefined]);
        assert.ok([carl.jid, carl.lid].includes(message.chat), message.chat);
      }
      for (const call of shop.all('call')) assert.deepEqual([call.chat, call.chatAlt, call.fromAlt], [carl.lid, undefined, undefined]);
      for (const [id, to] of [
        ['m1', ANNA],
        ['m2', anna.lid],
        ['m3', CARL],
        ['m4', carl.lid],
      ] as const)
        shop.sends(id, to);
      await shop.hears('acked', 5);
      await world.pass(1_000);
      const texts = (person: Person) =>
        person
          .shows()
          .filter(({ from }) => from === SHOP)
          .map(({ text }) => text);
      assert.deepEqual(
        [texts(anna), texts(carl)].map((all) => all.toSorted()),
        [
          ['m1', 'm2', 'to anna'],
          ['m3', 'm4'],
        ],
      );
      assert.deepEqual([world.peer.ledger.violations, world.peer.journal.events('unreadable')], [[], []]);
    });
  }

  it('is learned from attributes that the server adds to messages, with source and time', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.contact(ANNA);
    await anna.is({ isHidden: true });
    await anna.writes(SHOP, 'hello');
    const { address, phone, username, source } = await shop.hears('identity');
    assert.deepEqual([address, phone, username, source], [anna.lid, ANNA, null, 'stanza']);
  });

  it('is learned from a message that shares a number, but never from messages before it', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.contact(ANNA);
    await anna.is({ isHidden: true, tellsNumber: false });
    await anna.writes(SHOP, 'hello');
    const { message } = await shop.hears('received');
    assert.deepEqual([message.chat, message.chatAlt, shop.all('identity')], [anna.lid, undefined, []]);
    await anna.is({ tellsNumber: true });
    await anna.writes(SHOP, { protocolMessage: { type: SHARE_PHONE_NUMBER } });
    const { address, phone, source } = await shop.hears('identity');
    assert.deepEqual([address, phone, source], [anna.lid, ANNA, 'stanza']);
    await world.pass(1_000);
    assert.deepEqual([shop.all('received').length, world.peer.ledger.violations], [1, []]);
  });

  it('is learned from a number-change notice', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const anna = world.peer.contact(ANNA);
    anna.changesNumber(CARL);
    shop.connection.acknowledge((await shop.hears('identity')).token);
    await shop.hears('identity', 2);
    assert.deepEqual(
      shop.all('identity').map(({ address, phone, source }) => [address, phone, source]),
      [
        [anna.jid, CARL, 'notice'],
        [anna.lid, CARL, 'notice'],
      ],
    );
  });

  it('is learned from the lookup that precedes the first text', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    const { address, phone, source } = await shop.hears('identity');
    assert.deepEqual([address, phone, source], [world.peer.contact(ANNA).lid, ANNA, 'usync']);
  });

  it("is learned from our phone's list, and each pair is reported until it is stored", async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const people = Array.from({ length: 250 }, (_, nth) => world.peer.contact(`62812000${String(nth).padStart(5, '0')}`));
    await world.peer.phone(SHOP).listsPeople(people.map(({ digits }) => digits));
    const said = await first.hears('identity');
    assert.equal(said.source, 'own-phone');
    first.connection.acknowledge(said.token);
    await first.hears('identity', 2);
    await world.pass(100);
    world.restart();
    first.connection.close();
    await first.hears('closed');
    const told = new Map<string, string>([[said.address, said.phone]]);
    const second = new Ear(world, credentials, 'device', (event) => {
      if (event.type !== 'identity') return;
      told.set(event.address, event.phone);
      second.connection.acknowledge(event.token);
    });
    await second.hears('opened');
    await second.hears('identity', people.length - 1);
    await second.catchesUp();
    assert.deepEqual(told, new Map(people.map(({ lid, digits }) => [lid, digits])));
    await world.pass(1_000);
    second.connection.close();
    await second.hears('closed');
    world.restart();
    const third = await logIn(world, credentials);
    await third.catchesUp();
    assert.deepEqual(third.all('identity'), []);
    third.sends('m1', people[249]?.lid ?? '');
    await third.hears('acked');
  });

  it('is checked with the network once if the history contradicts it, for at most 20 people per login', async (t) => {
    const { world, shop, anna } = await aScene(t);
    const budi = world.peer.contact('6281100000004');
    const asked = (): number => world.peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'usync' } }).length;
    const phone = world.peer.phone(SHOP);
    for (const { token } of shop.all('identity')) shop.connection.acknowledge(token);
    const before = asked();
    for (let part = 0; part < 3; part += 1) await phone.recalls([{ jid: budi.jid, lid: anna.lid }]);
    const { address, source } = await shop.hears('identity', shop.all('identity').length + 1);
    assert.deepEqual([address, source], [budi.lid, 'usync'], 'the network knows whose number it is');
    await world.pass(1_000);
    assert.equal(asked() - before, 1);
    assert.deepEqual(
      shop
        .all('identity')
        .filter(({ phone }) => phone === budi.digits)
        .map((one) => one.address),
      [budi.lid],
      'and the history is not believed',
    );
    const others = Array.from({ length: 50 }, (_, nth) => world.peer.contact(`62812000${String(nth).padStart(5, '0')}`));
    await phone.recalls(others.map(({ jid }) => ({ jid, lid: anna.lid })));
    await world.pass(5_000);
    assert.equal(asked() - before, 20);
  });

  it('keeps the known number of a person who hides it', async (t) => {
    const { shop, anna } = await aScene(t);
    await anna.is({ isHidden: true });
    await anna.writes(SHOP, 'me again');
    const { message } = await shop.hears('received', 2);
    assert.deepEqual([message.chat, message.chatAlt], [anna.lid, userJid(ANNA)]);
  });
});
