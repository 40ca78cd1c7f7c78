import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { OutgoingMessage } from '../../../../actors/network/port.ts';
import { el } from '../../../network-peer/stanza.ts';
import { aDevice, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';
import { trustFilesOf } from './trusting.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';

/** Somebody says to the shop's device that they could not read a message of it. */
function asksFor(
  world: PeerWorld,
  id: string,
  from: Readonly<Record<'from', string> & Partial<Record<'participant' | 'recipient', string>>>,
): void {
  const t = Math.floor(world.clock.now() / 1_000);
  const request = el('receipt', { ...from, id, type: 'retry', t }, [el('retry', { count: 1, id, t, v: 1 })]);
  for (const computer of world.peer.phone(SHOP).linked) computer.deliver(request);
}

const keysAskedFor = ({ peer }: PeerWorld): number =>
  peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'encrypt', type: 'get' } }).length;

describe('requests to resend a message', () => {
  it('are acknowledged even if the message is unknown, and cause no key queries', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    await shop.hears('receipt', 2);
    const before = keysAskedFor(world);
    const ids = Array.from({ length: 20 }, (_, nth) => `unknown-${nth}`);
    for (const id of ids) asksFor(world, id, { from: `${ANNA}@s.whatsapp.net` });
    await world.pass(3_000);
    await shop.catchesUp();
    assert.equal(keysAskedFor(world), before);
    const acks = world.peer.journal.stanzas({ way: 'up', tag: 'ack', attrs: { class: 'receipt', type: 'retry' } });
    assert.deepEqual(acks.map(({ stanza }) => stanza.attrs['id']).toSorted(), ids.toSorted());
  });

  it('never reveal a message from another chat to group members', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    const group = await world.group([SHOP, ANNA]);
    shop.sends('to all', group);
    shop.sends('to budi', BUDI);
    await shop.hears('acked', 2);
    await world.pass(1_000);
    asksFor(world, 'to budi', { from: group, participant: `${ANNA}@s.whatsapp.net` });
    asksFor(world, 'to all', { from: group, participant: `${ANNA}@s.whatsapp.net` });
    await world.pass(3_000);
    await shop.catchesUp();
    const left = (id: string): number => world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id } }).length;
    assert.deepEqual([left('to budi'), left('to all')], [1, 2]);
  });

  it('do not cause another upload of a file, even if several recipients request it', async (t) => {
    const world = await overThePeer(t);
    trustFilesOf(world.peer, t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    const to = await world.group([SHOP, ANNA, BUDI]);
    shop.sends('m1', to);
    await shop.hears('receipt');
    const others = [ANNA, BUDI].map((digits) => world.peer.contact(digits));
    for (const other of others) {
      await other.forgets(SHOP);
      await other.is({ isOnline: false });
    }
    const file = { contentType: 'image/png', filename: null, size: 9, sha256: '' };
    const message: OutgoingMessage = { netId: 'm2', to, quotes: null, content: { type: 'image', file, caption: null, voiceNote: false } };
    shop.connection.send({ ...message, fileKey: 'the bytes' }, async () => Readable.from([Buffer.from('the bytes')]));
    await shop.hears('acked', 2);
    shop.connection.close();
    await shop.hears('closed');
    const uploads = (): number => world.peer.journal.events('uploaded').length;
    const before = uploads();
    for (const other of others) await other.is({ isOnline: true });
    await logIn(world, credentials);
    await world.pass(10_000);
    assert.equal(uploads(), before, 'what was uploaded lies there for a day');
    for (const digits of [ANNA, BUDI])
      assert.ok(
        (await world.phone(digits).shows()).some(({ netId }) => netId === 'm2'),
        digits,
      );
  });

  it('are served for one person while the network ignores a key query about another person', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('to anna', ANNA);
    shop.sends('to budi', BUDI);
    await shop.hears('receipt', 2);
    await world.pass(1_000);
    await shop.catchesUp();
    world.peer.fault({ kind: 'drop', way: 'up', tag: 'iq', phone: SHOP, times: 1, where: ({ attrs }) => attrs['xmlns'] === 'encrypt' });
    asksFor(world, 'to anna', { from: `${ANNA}@s.whatsapp.net` });
    await world.pass(1_000);
    asksFor(world, 'to budi', { from: `${BUDI}@s.whatsapp.net` });
    await world.pass(3_000);
    const left = (id: string): number => world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id } }).length;
    assert.deepEqual([left('to anna'), left('to budi')], [1, 2]);
  });

  it('start a new session with our own phone, even if the message is not in the log', async (t) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    await shop.hears('receipt', 2);
    const before = keysAskedFor(world);
    asksFor(world, 'a reaction', { from: `${SHOP}@s.whatsapp.net`, recipient: `${ANNA}@s.whatsapp.net` });
    await world.pass(3_000);
    await shop.catchesUp();
    assert.equal(keysAskedFor(world), before + 1);
  });
});
