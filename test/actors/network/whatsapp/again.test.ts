import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { el } from '../../../network-peer/stanza.ts';
import { aDevice, type Ear, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

describe('a message that a phone failed to read', () => {
  it('is sent again under its id on the same connection', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA, 'first');
    await shop.hears('receipt');
    await world.peer.contact(ANNA).forgets(SHOP);
    shop.sends('m2', ANNA, 'second');
    await world.pass(5_000);
    await shop.hears('receipt', 4);
    assert.ok(world.peer.journal.events('unreadable').some(({ facts }) => facts['id'] === 'm2'));
    assert.deepEqual(
      (await world.phone(ANNA).shows()).map(({ netId, content }) => [netId, 'body' in content && content.body]),
      [
        ['m1', 'first'],
        ['m2', 'second'],
      ],
    );
    assert.deepEqual(world.peer.ledger.violations, []);
  });

  it('is sent again from the log after a restart, with its content', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const anna = world.peer.contact(ANNA);
    first.sends('m1', ANNA, 'first');
    await first.hears('receipt', 2);
    await anna.forgets(SHOP);
    await anna.is({ isOnline: false });
    first.sends('m2', ANNA, 'second');
    await first.hears('acked', 2);
    first.connection.close();
    await first.hears('closed');
    await anna.is({ isOnline: true });
    await logIn(world, credentials);
    await world.pass(10_000);
    const shown = await world.phone(ANNA).shows();
    assert.deepEqual(
      shown.map(({ content }) => 'body' in content && content.body),
      ['first', 'second'],
    );
  });
});

describe('a copy of a message that is resent to a single device', () => {
  it('leaves the message status unchanged if the network refuses the copy', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const group = await world.group([SHOP, ANNA, BUDI]);
    shop.sends('m1', group);
    await shop.hears('receipt');
    await isRefusedACopy(world, 'm2', () => shop.sends('m2', group), shop);
    assert.deepEqual([shop.all('acked').length, shop.all('refused')], [2, []]);
    assert.ok((await world.phone(BUDI).shows()).some(({ netId }) => netId === 'm2'));
  });

  it('does not hide a later refusal of another message to the same phone', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    await shop.hears('receipt');
    await isRefusedACopy(world, 'm2', () => shop.sends('m2', ANNA), shop);
    assert.deepEqual([shop.all('acked').length, shop.all('refused')], [2, []]);
    world.peer.fault({ kind: 'refuse-messages', code: 479, phone: SHOP, times: 1 });
    shop.sends('m3', ANNA);
    assert.equal((await shop.hears('refused')).netId, 'm3');
  });

  it('is not mistaken for the original message, even if the original was written late', async (context) => {
    const world = await overThePeer(context);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', BUDI);
    await shop.hears('receipt');
    const lift = world.peer.fault({ kind: 'limit-questions', xmlns: 'encrypt', most: 0, everyMs: 60_000, phone: SHOP });
    shop.sends('m2', ANNA);
    await world.pass(1_000);
    lift();
    await world.pass(5_000);
    await shop.hears('acked', 2);
    world.peer.fault({ kind: 'refuse-messages', code: 479, phone: SHOP, times: 1 });
    const t = Math.floor(world.clock.now() / 1_000);
    const [computer] = world.peer.phone(SHOP).linked;
    const from = `${ANNA}@s.whatsapp.net`;
    computer?.deliver(el('receipt', { from, id: 'm2', type: 'retry', t }, [el('retry', { count: 1, id: 'm2', t, v: 1 })]));
    await world.pass(5_000);
    assert.equal(world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm2' } }).length, 2, 'a copy was sent');
    assert.deepEqual([shop.all('acked').length, shop.all('refused')], [2, []]);
  });
});

/** Anna cannot read this message and asks for it again, and the network does not take what she is to get. */
async function isRefusedACopy(world: PeerWorld, netId: string, send: () => void, shop: Ear): Promise<void> {
  const anna = world.peer.contact(ANNA);
  await anna.is({ isOnline: false });
  await anna.forgets(SHOP);
  send();
  await shop.hears('acked', 2);
  world.peer.fault({ kind: 'refuse-messages', code: 479, phone: SHOP, times: 1 });
  await anna.is({ isOnline: true });
  await world.pass(10_000);
  assert.ok(world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: netId } }).length > 1, 'a copy was sent');
}

describe('an edit or reaction that is sent after a later one', () => {
  it('does not overwrite the later one', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA, 'one');
    await shop.hears('receipt', 2);
    const target = { chat: `${ANNA}@s.whatsapp.net`, netId: 'm1', from: null };
    const later = [
      { netId: '2', value: 'three', at: 2_000 },
      { netId: '1', value: 'two', at: 1_000 },
    ];
    for (const { netId, value, at } of later) {
      shop.connection.edit({ netId: `e${netId}`, target, body: value, at });
      shop.connection.react({ netId: `r${netId}`, target, emoji: value, at });
    }
    await shop.hears('acked', 5);
    await world.pass(100);
    await shop.catchesUp();
    const { body, reactions } = await world.phone(ANNA).marks('m1');
    assert.deepEqual([body, reactions[SHOP]], ['three', 'three']);
  });
});
