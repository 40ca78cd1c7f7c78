import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { child, children, el, type Stanza } from '../../../network-peer/stanza.ts';
import { aDevice, Ear, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const DAY_MS = 86_400_000;

const texts = (world: PeerWorld, digits: string): readonly string[] =>
  world.peer
    .contact(digits)
    .shows()
    .map(({ text }) => text);
const errors = (world: PeerWorld): readonly Stanza[] =>
  world.peer.journal.stanzas({ way: 'down', tag: 'iq', attrs: { type: 'error' } }).map(({ stanza }) => stanza);
const sentTo = (stanza: Stanza): readonly string[] => children(child(stanza, 'participants'), 'to').map(({ attrs }) => attrs['jid'] ?? '');

/** Lets what is under way arrive: it takes many turns of both sides, and little time. */
async function settled(world: PeerWorld, isDone: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !isDone(); tries += 1) await world.pass(5);
}

describe('a device without keys on the network', () => {
  it("is skipped, and the person's other devices get the message", async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    world.peer.contact(ANNA).hasKeys(false, world.peer.contact(ANNA).addsDevice());
    shop.sends('m1', ANNA, 'Hi');
    await shop.hears('acked');
    await world.pass(500);
    assert.deepEqual([texts(world, ANNA), shop.all('closed'), shop.all('unwritten')], [['Hi'], [], []]);
  });

  for (const addressing of ['pn', 'lid'] as const) {
    it(`gets the message once it has keys, without delaying the rest of a group with ${addressing === 'pn' ? 'phone number' : 'hidden'} addresses`, async (t) => {
      const world = await overThePeer(t);
      const shop = await aDevice(world, SHOP);
      const [anna, budi] = [world.peer.contact(ANNA), world.peer.contact(BUDI)];
      const { jid } = world.peer.group([SHOP, ANNA, BUDI], { addressing });
      budi.hasKeys(false);
      await budi.is({ isOnline: false });
      shop.sends('m1', jid, 'Hi all');
      await shop.hears('acked');
      await world.pass(500);
      assert.deepEqual([anna.shows().length, shop.all('closed')], [1, []]);
      budi.hasKeys(true);
      await budi.is({ isOnline: true });
      await settled(world, () => budi.shows().length > 0);
      assert.deepEqual([texts(world, BUDI), texts(world, ANNA)], [['Hi all'], ['Hi all']]);
      assert.equal(anna.arrivals('m1'), 1);
    });
  }

  it("fails the message immediately if it is the person's only device", async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    world.peer.contact(ANNA).hasKeys(false);
    shop.sends('m1', ANNA, 'Hi');
    assert.equal((await shop.hears('refused')).reason, 'no_session');
    assert.deepEqual(shop.all('closed'), []);
  });
});

describe('people whose devices the network does not return', () => {
  const withError = (world: PeerWorld, digits: string): (() => void) => {
    const { jid, lid } = world.peer.contact(digits);
    const of = ({ attrs }: Stanza) =>
      attrs['jid'] === jid || attrs['jid'] === lid ? [el('devices', {}, [el('error', { code: 500 })])] : null;
    return world.peer.fault({ kind: 'tells', of });
  };

  it('do not prevent the other members of a group from getting the message', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { jid } = world.peer.group([SHOP, ANNA, BUDI], { addressing: 'pn' });
    withError(world, BUDI);
    shop.sends('m1', jid, 'Hi all');
    await shop.hears('acked');
    await world.pass(500);
    assert.deepEqual([texts(world, ANNA), shop.all('closed')], [['Hi all'], []]);
  });

  it('get their messages later, and are not reported as missing on the network', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const lift = withError(world, ANNA);
    shop.sends('m1', ANNA, 'Hi');
    shop.sends('m2', BUDI, 'Hi');
    assert.equal((await shop.hears('acked')).netId, 'm2');
    await world.pass(25_000);
    assert.deepEqual([shop.all('unwritten').map(({ netId }) => netId), shop.all('refused')], [['m1'], []]);
    lift();
    shop.sends('m1', ANNA, 'Hi');
    await shop.hears('acked', 2);
    assert.deepEqual([texts(world, ANNA), shop.all('closed')], [['Hi'], []]);
  });
});

describe("an unanswered query about a recipient's devices", () => {
  it('delays only messages to that recipient', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const isOfAnna = (stanza: Stanza): boolean =>
      JSON.stringify(stanza).includes(ANNA) || JSON.stringify(stanza).includes(world.peer.contact(ANNA).lid);
    const lift = world.peer.fault({ kind: 'drop', way: 'down', tag: 'iq', where: isOfAnna });
    shop.sends('m1', ANNA, 'one');
    shop.sends('m2', ANNA, 'two');
    shop.sends('m3', BUDI, 'three');
    assert.equal((await shop.hears('acked')).netId, 'm3');
    await world.pass(21_000);
    assert.deepEqual(
      shop.all('unwritten').map(({ netId }) => netId),
      ['m1', 'm2'],
    );
    lift();
    await world.pass(90_000);
    shop.sends('m1', ANNA, 'one');
    shop.sends('m2', ANNA, 'two');
    await shop.hears('acked', 3);
    await settled(world, () => texts(world, ANNA).length === 2);
    assert.deepEqual([texts(world, ANNA), shop.all('refused'), shop.all('closed')], [['one', 'two'], [], []]);
  });
});

describe('a message that is sent again while a device query about its recipient is pending', () => {
  it('arrives once, and is acked for each attempt', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { lid } = world.peer.contact(ANNA);
    const isOfAnna = (stanza: Stanza): boolean => JSON.stringify(stanza).includes(ANNA) || JSON.stringify(stanza).includes(lid);
    const heard = async (type: 'unwritten' | 'acked', count: number): Promise<void> => {
      for (let tries = 0; tries < 600 && shop.all(type).length < count; tries += 1) await world.pass(100);
      assert.equal(shop.all(type).length, count, type);
    };
    world.peer.fault({ kind: 'delay', way: 'down', tag: 'iq', where: isOfAnna, times: 1, ms: 25_000 });
    shop.sends('m1', ANNA, 'Hi');
    await heard('unwritten', 1);
    shop.sends('m1', ANNA, 'Hi');
    await heard('acked', 1);
    await shop.catchesUp();
    const before = shop.all('acked').length;
    shop.sends('m1', ANNA, 'Hi');
    await heard('acked', before + 1);
    await world.pass(500);
    assert.deepEqual([texts(world, ANNA), world.peer.contact(ANNA).arrivals('m1'), shop.all('closed')], [['Hi'], 1, []]);
  });
});

describe('a device in a group with hidden addresses', () => {
  it('gets no copy of its own message', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { jid } = world.peer.group([SHOP, ANNA], { addressing: 'lid' });
    shop.sends('m1', jid, 'Hi');
    await shop.hears('acked');
    await world.pass(500);
    assert.deepEqual([texts(world, ANNA), errors(world)], [['Hi'], []]);
    const [{ stanza } = assert.fail('nothing was sent')] = world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm1' } });
    assert.ok(!sentTo(stanza).includes(world.peer.phone(SHOP).linked[0]!.lid));
  });
});

describe('a new device', () => {
  it('gets the next message to a group with hidden addresses, together with the group key', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { jid } = world.peer.group([SHOP, ANNA], { addressing: 'lid' });
    shop.sends('m1', jid, 'one');
    await shop.hears('acked');
    world.peer.contact(ANNA).addsDevice();
    await shop.catchesUp();
    shop.sends('m2', jid, 'two');
    await shop.hears('acked', 2);
    await settled(world, () => texts(world, ANNA).length === 2);
    assert.deepEqual([texts(world, ANNA), world.peer.journal.events('unreadable')], [['one', 'two'], []]);
  });

  it('gets every later message if it belongs to our own account', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA, 'one');
    await shop.hears('acked');
    const device = world.peer.phone(SHOP).addsDevice();
    await shop.catchesUp();
    shop.sends('m2', ANNA, 'two');
    await shop.hears('acked', 2);
    const [{ stanza } = assert.fail('nothing was sent')] = world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm2' } });
    assert.ok(
      sentTo(stanza).some((jid) => jid.includes(`:${device}@`)),
      sentTo(stanza).join(),
    );
  });
});

describe("a person's new computer that was not announced", () => {
  const isToldOfDevices = (stanza: Stanza): boolean => stanza.attrs['type'] === 'devices';

  it('gets messages written a week later', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA, 'one');
    await shop.hears('acked');
    world.peer.fault({ kind: 'drop', way: 'down', tag: 'notification', where: isToldOfDevices });
    const device = world.peer.contact(ANNA).addsDevice();
    await shop.catchesUp();
    shop.sends('m2', ANNA, 'two');
    await shop.hears('acked', 2);
    assert.equal(gets(world, 'm2', device), false);
    world.clock.jump(7 * DAY_MS + 1);
    shop.sends('m3', ANNA, 'three');
    await shop.hears('acked', 3);
    assert.equal(gets(world, 'm3', device), true);
  });

  it("gets messages even if it was added while another node temporarily had the sender's connection", async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const here = await logIn(world, credentials);
    here.sends('m1', ANNA, 'one');
    await here.hears('acked');
    here.connection.close();
    world.moves();
    const there = await logIn(world, credentials);
    const device = world.peer.contact(ANNA).addsDevice();
    await there.catchesUp();
    there.connection.close();
    world.moves();
    const back = await logIn(world, credentials);
    back.sends('m2', ANNA, 'two');
    await back.hears('acked');
    assert.equal(gets(world, 'm2', device), true);
  });

  const gets = (world: PeerWorld, id: string, device: number): boolean => {
    const [{ stanza } = assert.fail('it was not sent')] = world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id } });
    return sentTo(stanza).some((jid) => jid.includes(`:${device}@`) && !jid.startsWith(SHOP));
  };
});

describe('a computer that could not read a message', () => {
  for (const where of ['a chat', 'a group'] as const) {
    it(`gets the message again in ${where}, encrypted only for this computer`, async (t) => {
      const world = await overThePeer(t);
      const shop = await aDevice(world, SHOP);
      const anna = world.peer.contact(ANNA);
      const computer = anna.account.handsets.get(anna.addsDevice())!;
      const to = where === 'a chat' ? ANNA : world.peer.group([SHOP, ANNA], { addressing: 'lid' }).jid;
      shop.sends('m1', to, 'one');
      await shop.hears('acked');
      await world.pass(500);
      await computer.forget(world.peer.phone(SHOP).linked[0]!);
      computer.forgetGroups();
      shop.sends('m2', to, 'two');
      await shop.hears('acked', 2);
      await settled(world, () => world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm2' } }).length > 1);
      const [first, ...more] = world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm2' } });
      assert.ok(first && more.length > 0);
      for (const { stanza } of more) assert.deepEqual([children(stanza, 'enc').length, child(stanza, 'participants')], [1, undefined]);
      assert.equal(world.peer.journal.events('unreadable').length, 1);
      assert.equal(anna.arrivals('m2'), 1);
      assert.deepEqual(world.peer.ledger.violations, []);
    });
  }
});

describe('receipts from several group members in a single stanza', () => {
  it('are each counted', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const { jid } = world.peer.group([SHOP, ANNA, BUDI], { addressing: 'lid' });
    for (const digits of [ANNA, BUDI]) await world.peer.contact(digits).is({ isOnline: false });
    shop.sends('m1', jid, 'Hi');
    await shop.hears('acked');
    const [computer] = world.peer.phone(SHOP).linked;
    const users = [ANNA, BUDI].map((digits, nth) => el('user', { jid: world.peer.contact(digits).lid, t: 1_800_000_000 + nth }));
    computer!.deliver(el('receipt', { from: jid, id: 'r1', type: 'read', t: 1_800_000_000 }, [el('participants', { key: 'm1' }, users)]));
    const { netIds, status, at, token } = await shop.hears('receipt');
    assert.deepEqual([netIds, status, at], [['m1'], 'read', 1_800_000_001_000]);
    assert.equal(computer!.mailbox.waiting.length, 1);
    shop.connection.acknowledge(token);
    const members = await shop.hears('memberReceipts');
    assert.equal(computer!.mailbox.waiting.length, 1, 'who of the group read it is not stored yet');
    shop.connection.acknowledge(members.token);
    await world.pass(500);
    assert.equal(computer!.mailbox.waiting.length, 0);
  });
});

describe('receipts with the same timestamp', () => {
  it('are reported as one, but acknowledged individually', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    await world.peer.contact(ANNA).is({ isOnline: false });
    for (const id of ['m1', 'm2']) shop.sends(id, ANNA, id);
    await settled(world, () => shop.all('acked').length === 2);
    const [computer] = world.peer.phone(SHOP).linked;
    const { jid } = world.peer.contact(ANNA);
    for (const id of ['m1', 'm2']) computer!.deliver(el('receipt', { from: jid, id, t: 1_800_000_000 }, []));
    const { netIds, token } = await shop.hears('receipt');
    assert.deepEqual(netIds, ['m1', 'm2']);
    assert.equal(computer!.mailbox.waiting.length, 2);
    shop.connection.acknowledge(token);
    await world.pass(500);
    assert.equal(computer!.mailbox.waiting.length, 0);
  });
});

describe('one-time keys that are running low', () => {
  it('are replenished with 50 new keys', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const [computer] = world.peer.phone(SHOP).linked;
    await shop.catchesUp();
    computer!.preKeys.splice(5);
    computer!.takeBundle();
    await settled(world, () => world.peer.journal.events('pre-keys').length > 1);
    const published = world.peer.journal
      .events('pre-keys')
      .slice(1)
      .map(({ facts }) => facts['count']);
    assert.deepEqual(published, [50]);
  });
});

describe('a connection', () => {
  it('is closed as logged out if the network reports the device as removed without a code', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    world.peer.phone(SHOP).linked[0]!.connection!.end(el('stream:error', {}, [el('conflict', { type: 'device_removed' })]));
    assert.equal((await shop.hears('closed')).code, 401);
  });

  it('is closed a few seconds after linking if the network does not close it', async (t) => {
    const world = await overThePeer(t);
    world.peer.fault({ kind: 'drop', way: 'up', tag: 'iq', where: (iq) => child(iq, 'pair-device-sign') !== undefined });
    const ear = new Ear(world, null, 'device');
    const { qr } = await ear.hears('qr');
    world.peer
      .phone(SHOP)
      .scans(qr)
      .catch(() => {});
    await ear.hears('linked');
    await world.pass(11_000);
    assert.equal((await ear.hears('closed')).code, 515);
  });
});

describe('settings from the phone', () => {
  it('are ignored unless a device of the account signed them', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    world.peer.phone(SHOP).account.settings.forges = true;
    world.peer.phone(SHOP).isCalled('Somebody else');
    const ear = new Ear(world, credentials, 'device');
    await ear.hears('opened');
    await ear.catchesUp();
    await world.pass(500);
    assert.deepEqual(
      ear.all('profile').filter(({ name }) => name === 'Somebody else'),
      [],
    );
  });
});
