import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aBareDevice, aPeer, Bare, logIn } from './bare.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;

describe('a simulated network fault', () => {
  it('can drop the acknowledgement of a delivered message', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.fault({ kind: 'drop', way: 'down', tag: 'ack', phone: SHOP, times: 1, where: ({ attrs }) => attrs['class'] === 'message' });
    const { key } = (await shop.sock.sendMessage(annaJid, { text: 'hello' }))!;
    await peer.journal.untilEvent('shown', { id: key.id, on: ANNA });
    const [ack] = peer.journal.stanzas({ way: 'down', tag: 'ack', attrs: { id: key.id! } });
    assert.equal(ack?.fate, 'dropped');
  });

  it('can drop a message on its way to the network without reporting it', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.fault({ kind: 'drop', way: 'up', tag: 'message', times: 1 });
    const lost = (await shop.sock.sendMessage(annaJid, { text: 'lost' }))!.key.id!;
    const next = (await shop.sock.sendMessage(annaJid, { text: 'next' }))!.key.id!;
    await peer.journal.untilEvent('shown', { id: next, on: ANNA });
    assert.deepEqual(
      peer
        .contact(ANNA)
        .shows()
        .map(({ text }) => text),
      ['next'],
    );
    assert.equal(peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: lost } })[0]?.fate, 'dropped');
  });

  it('can deliver a message twice, and the phone shows it once', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.fault({ kind: 'duplicate', way: 'up', tag: 'message', times: 1 });
    const { key } = (await shop.sock.sendMessage(annaJid, { text: 'hello' }))!;
    await peer.journal.until((entry) => entry.kind === 'event' && entry.name === 'unreadable' && entry.facts['id'] === key.id);
    assert.equal(peer.contact(ANNA).shows().length, 1);
    assert.deepEqual(peer.ledger.violations, [], 'the same ciphertext twice is no second use of its key');
  });

  it('can swap the order of two messages', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.fault({ kind: 'reorder', way: 'up', tag: 'message', phone: SHOP, times: 1 });
    const one = (await shop.sock.sendMessage(annaJid, { text: 'one' }))!.key.id!;
    await shop.sock.sendMessage(annaJid, { text: 'two' });
    await peer.journal.untilEvent('shown', { id: one, on: ANNA });
    assert.deepEqual(
      peer
        .contact(ANNA)
        .shows()
        .map(({ text }) => text),
      ['two', 'one'],
    );
  });

  it('can delay a message so that later messages overtake it', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.fault({ kind: 'delay', way: 'down', times: 1, ms: 50, where: ({ tag, attrs }) => tag === 'message' && !attrs['category'] });
    const late = await peer.contact(ANNA).writes(SHOP, 'late');
    const prompt = await peer.contact(ANNA).writes(SHOP, 'prompt');
    await Promise.all([shop.receives(late), shop.receives(prompt)]);
    for (const id of [late, prompt]) await peer.journal.untilStanza({ way: 'up', tag: 'receipt', attrs: { id } });
    const order = peer.journal.stanzas({ way: 'up', tag: 'receipt' }).map(({ stanza }) => stanza.attrs['id']);
    assert.ok(order.indexOf(prompt) < order.indexOf(late));
  });

  it('can lose messages sent just before a disconnect, while incoming ones are still delivered', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    const before = (await shop.sock.sendMessage(annaJid, { text: 'before' }))!;
    await shop.reaches(before.key.id!, 4);
    peer.fault({ kind: 'half-open', phone: SHOP, forMs: 200 });
    const { key } = (await shop.sock.sendMessage(annaJid, { text: 'into the void' }))!;
    const id = await peer.contact(ANNA).writes(SHOP, 'kept');
    assert.equal(await shop.closes(), 428);
    const again = await logIn(t, peer, shop.auth);
    await again.receives(id);
    assert.deepEqual(
      peer
        .contact(ANNA)
        .shows()
        .filter(({ netId }) => netId === key.id),
      [],
    );
  });

  it('can prevent connections by silencing the whole network', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    void shop.sock.end(undefined);
    const lift = peer.fault({ kind: 'half-open' });
    const mute = new Bare(peer, shop.auth, { connectTimeoutMs: 100 });
    assert.equal(await mute.closes(), 408);
    lift();
    await logIn(t, peer, shop.auth);
  });

  for (const code of [463, 479]) {
    it(`can reject messages with ${code} for a limited time`, async (t) => {
      const peer = await aPeer(t);
      const shop = await aBareDevice(t, peer, SHOP);
      peer.fault({ kind: 'refuse-messages', code, phone: SHOP, times: 1 });
      const { key } = (await shop.sock.sendMessage(annaJid, { text: 'refused' }))!;
      await shop.reaches(key.id!, 0);
      const taken = (await shop.sock.sendMessage(annaJid, { text: 'taken' }))!;
      await shop.reaches(taken.key.id!, 4);
      assert.equal(peer.contact(ANNA).shows().length, 1);
    });
  }

  it('can refuse logins until it is removed', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    const lift = peer.fault({ kind: 'refuse-logins', code: 503, phone: SHOP });
    peer.cut(SHOP);
    await shop.closes();
    assert.equal(await new Bare(peer, shop.auth).closes(), 503);
    lift();
    await logIn(t, peer, shop.auth);
  });
});

describe('the check for protocol violations', () => {
  it('detects a client that loses its state and reuses keys', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await shop.receives(await peer.contact(ANNA).writes(SHOP, 'warm'));
    const address = shop.sock.signalRepository.jidToSignalProtocolAddress(peer.contact(ANNA).lid);
    const send = async (text: string): Promise<void> => {
      const { key } = (await shop.sock.sendMessage(annaJid, { text }))!;
      await peer.journal.untilStanza({ way: 'up', tag: 'message', attrs: { id: key.id! } });
    };
    await send('first');
    const { session } = { session: structuredClone((await shop.auth.keys.get('session', [address]))[address]) };
    await send('second');
    assert.deepEqual(peer.ledger.violations, []);
    await shop.auth.keys.set({ session: { [address]: session ?? null } });
    await send('third');
    assert.match(peer.ledger.violations[0] ?? '', /key and IV used twice/);
  });
});
