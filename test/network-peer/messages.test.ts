import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aBareDevice, aPeer, logIn } from './bare.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;
const [DELIVERED, READ, PLAYED] = [3, 4, 5];

describe('messages between a computer and a phone', () => {
  for (const signal of ['rust', 'library'] as const) {
    it(`arrive with receipts in both directions if the phone uses the ${signal} implementation of Signal`, async (t) => {
      const peer = await aPeer(t, { signal });
      const anna = peer.contact(ANNA);
      const shop = await aBareDevice(t, peer, SHOP);
      const { key } = (await shop.sock.sendMessage(annaJid, { text: 'hello' }))!;
      await shop.reaches(key.id!, READ);
      assert.deepEqual(
        anna.shows().map(({ netId, from, text }) => [netId, from, text]),
        [[key.id, SHOP, 'hello']],
      );
      const [own] = peer.phone(SHOP).shows();
      assert.deepEqual([own?.chat, own?.text], [annaJid, 'hello'], 'its own phone shows it too');

      const id = await anna.writes(SHOP, 'and to you');
      const { message } = await shop.receives(id);
      assert.equal(message?.conversation, 'and to you');
      await peer.journal.untilStanza({ way: 'up', tag: 'receipt', attrs: { id } });
      const again = (await shop.sock.sendMessage(annaJid, { text: 'thanks' }))!;
      await shop.reaches(again.key.id!, READ);
      assert.equal(anna.shows().at(-1)?.text, 'thanks');
      assert.deepEqual(peer.journal.events('trouble'), []);
      assert.deepEqual(peer.ledger.violations, []);
      assert.ok(peer.ledger.seals >= 4);
    });
  }

  it('wait for an offline phone, and stay "delivered" if the phone sends no read receipts', async (t) => {
    const peer = await aPeer(t);
    const anna = peer.contact(ANNA);
    await anna.is({ isOnline: false, reads: false });
    const shop = await aBareDevice(t, peer, SHOP);
    const { key } = (await shop.sock.sendMessage(annaJid, { text: 'later' }))!;
    await peer.journal.untilStanza({ way: 'down', tag: 'ack', attrs: { id: key.id! } });
    assert.deepEqual(anna.shows(), []);
    await anna.is({ isOnline: true });
    await shop.reaches(key.id!, DELIVERED);
    assert.equal(anna.shows()[0]?.text, 'later');
    assert.equal(peer.journal.stanzas({ way: 'down', tag: 'receipt', attrs: { type: 'read' } }).length, 0);
  });

  it('wait for a disconnected computer until it acknowledges them', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    void shop.sock.end(undefined);
    await peer.journal.until((entry) => entry.kind === 'event' && entry.name === 'closed' && entry.line === `${SHOP}:1`);
    const ids = [await peer.contact(ANNA).writes(SHOP, 'one'), await peer.contact(ANNA).writes(SHOP, 'two')];
    const again = await logIn(t, peer, shop.auth);
    for (const id of ids) assert.ok(await again.receives(id));
    for (const id of ids) await peer.journal.untilStanza({ way: 'up', tag: 'receipt', attrs: { id } });
    const [linked] = peer.phone(SHOP).linked;
    assert.deepEqual(
      linked?.mailbox.waiting.filter(({ tag }) => tag === 'message'),
      [],
    );
  });

  it('also reach a person through a hidden address', async (t) => {
    const peer = await aPeer(t);
    const anna = peer.contact(ANNA);
    const shop = await aBareDevice(t, peer, SHOP);
    const id = await anna.writes(SHOP, 'guess who', { addressing: 'lid' });
    const { key } = await shop.receives(id);
    assert.equal(key?.remoteJid, anna.lid);
    const { key: sent } = (await shop.sock.sendMessage(anna.lid, { text: 'Anna!' }))!;
    await shop.reaches(sent.id!, READ);
    assert.equal(anna.shows().at(-1)?.text, 'Anna!');
  });

  it("reach the phones of both people when one person's computer writes to the other person", async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    const anna = await aBareDevice(t, peer, ANNA);
    const { key } = (await anna.sock.sendMessage(`${SHOP}@s.whatsapp.net`, { text: 'from a machine' }))!;
    const { message } = await shop.receives(key.id!);
    assert.equal(message?.extendedTextMessage?.text, 'from a machine');
    await anna.reaches(key.id!, READ);
    assert.equal(peer.phone(SHOP).shows()[0]?.text, 'from a machine');
    assert.equal(peer.phone(ANNA).shows()[0]?.text, 'from a machine');
  });

  it('are copied to the linked computer when they are sent from the phone', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    const id = await peer.phone(SHOP).writes(ANNA, 'by hand');
    const { key, message } = await shop.receives(id);
    assert.deepEqual([key?.fromMe, key?.remoteJid, message?.conversation], [true, annaJid, 'by hand']);
    assert.equal(peer.contact(ANNA).shows()[0]?.text, 'by hand');
  });

  it('are reported as read or played when the recipient opens them', async (t) => {
    const peer = await aPeer(t);
    const anna = peer.contact(ANNA);
    await anna.is({ reads: false });
    const shop = await aBareDevice(t, peer, SHOP);
    const { key } = (await shop.sock.sendMessage(annaJid, { text: 'hello' }))!;
    await shop.reaches(key.id!, DELIVERED);
    anna.reads(key.id!);
    await shop.reaches(key.id!, READ);
    anna.plays(key.id!);
    await shop.reaches(key.id!, PLAYED);
    assert.throws(() => anna.reads('never sent'), /got no never sent/);
  });
});
