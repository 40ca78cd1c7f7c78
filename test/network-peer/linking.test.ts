import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aBareDevice, aPeer, Bare, link, logIn, newAuth } from './bare.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

describe('a phone that links computers', () => {
  it('lets the computer log in after scanning its code', async (t) => {
    const peer = await aPeer(t);
    const bare = new Bare(peer, newAuth());
    const qr = await bare.hears('connection.update', (update) => update.qr);
    assert.equal(await peer.phone(SHOP).scans(qr), `${SHOP}:1@s.whatsapp.net`);
    assert.equal(await bare.closes(), 515);
    const shop = await logIn(t, peer, bare.auth);
    assert.equal(shop.auth.creds.me?.id, `${SHOP}:1@s.whatsapp.net`);
    const [keys] = peer.journal.events('pre-keys');
    assert.ok(Number(keys?.facts['count']) >= 800, 'all its one-time keys');
    assert.deepEqual(peer.journal.events('trouble'), []);
    assert.deepEqual(peer.ledger.violations, []);
  });

  it("accepts a typed code only if the code was requested for the phone's own number", async (t) => {
    const peer = await aPeer(t);
    const bare = new Bare(peer, newAuth());
    await bare.hears('connection.update', (update) => update.qr);
    const code = await bare.sock.requestPairingCode(SHOP);
    await peer.journal.untilEvent('pairing-code-asked');
    await assert.rejects(peer.phone(ANNA).types(code), { code: 'NOT_FOUND' });
    await peer.phone(SHOP).types(code.toLowerCase());
    assert.equal(await bare.closes(), 515);
    await logIn(t, peer, bare.auth);
  });

  it('rejects a mistyped code', async (t) => {
    const peer = await aPeer(t);
    const bare = new Bare(peer, newAuth());
    await bare.hears('connection.update', (update) => update.qr);
    await bare.sock.requestPairingCode(SHOP, 'ABCD2345');
    await peer.journal.untilEvent('pairing-code-asked');
    await assert.rejects(peer.phone(SHOP).types('ABCD2346'), { code: 'CONFLICT' });
    void bare.sock.end(undefined);
  });

  it('rejects a code that was already used, was made up, or belongs to a disconnected computer', async (t) => {
    const peer = await aPeer(t);
    const bare = new Bare(peer, newAuth());
    const qr = await bare.hears('connection.update', (update) => update.qr);
    await peer.phone(SHOP).scans(qr);
    await bare.closes();
    await assert.rejects(peer.phone(ANNA).scans(qr), { code: 'NOT_FOUND' });
    await assert.rejects(peer.phone(ANNA).scans('made up'), { code: 'NOT_FOUND' });
    const gone = new Bare(peer, newAuth());
    const late = await gone.hears('connection.update', (update) => update.qr);
    void gone.sock.end(undefined);
    await peer.journal.until((entry) => entry.kind === 'event' && entry.name === 'closed' && entry.line === '#2');
    await assert.rejects(peer.phone(ANNA).scans(late), { code: 'NOT_FOUND' });
  });

  it('accepts four computers, and rejects a fifth', async (t) => {
    const peer = await aPeer(t);
    for (let i = 0; i < 4; i += 1) await link(peer, SHOP);
    await assert.rejects(link(peer, SHOP), { code: 'CONFLICT' });
    peer.cut();
  });

  it('rejects a computer that logs in with a different key', async (t) => {
    const peer = await aPeer(t);
    const auth = await link(peer, SHOP);
    const thief = new Bare(peer, { ...auth, creds: { ...auth.creds, noiseKey: newAuth().creds.noiseKey } });
    assert.equal(await thief.closes(), 401);
  });

  it('sends its name to the computer', async (t) => {
    const peer = await aPeer(t);
    peer.phone(SHOP).isCalled('The shop');
    const shop = await aBareDevice(t, peer, SHOP);
    assert.equal(await shop.hears('creds.update', ({ me }) => me?.name), 'The shop');
  });

  it('generates the same keys whenever it starts from the same seed', async (t) => {
    const keys = [await aPeer(t, { seed: 7 }), await aPeer(t, { seed: 7 }), await aPeer(t, { seed: 8 })].map(({ rootKey }) => rootKey);
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[0], keys[2]);
  });

  it('sends earlier messages to the new computer', async (t) => {
    const peer = await aPeer(t);
    peer.phone(SHOP).remembers(ANNA, [
      { text: 'long ago', isOurs: false, at: Date.UTC(2026, 0, 1) },
      { text: 'yes', isOurs: true, at: Date.UTC(2026, 0, 2) },
    ]);
    const shop = await aBareDevice(t, peer, SHOP);
    const past = await shop.hears('messaging-history.set', ({ messages }) => messages.length > 0 && messages);
    assert.deepEqual(past.map(({ key, message }) => [key.fromMe, message?.conversation]).toSorted(), [
      [false, 'long ago'],
      [true, 'yes'],
    ]);
  });

  it('receives new one-time keys from the computer when only a few are left', async (t) => {
    const peer = await aPeer(t);
    await aBareDevice(t, peer, SHOP);
    const [linked] = peer.phone(SHOP).linked;
    const before = peer.journal.events('pre-keys').length;
    while (linked!.preKeys.length > 4) linked!.takeBundle();
    await peer.journal.until(
      (entry) => entry.kind === 'event' && entry.name === 'pre-keys' && peer.journal.events('pre-keys').length > before,
    );
    assert.deepEqual(peer.ledger.violations, []);
  });

  it('is rejected by a computer that detects a forged signature', async (t) => {
    const peer = await aPeer(t);
    for (const [what, said] of [
      ['secret', 'Invalid account signature'],
      ['signature', 'Failed to verify account signature'],
    ] as const) {
      peer.fault({ kind: 'forge', what, times: 1 });
      const bare = new Bare(peer, newAuth());
      const qr = await bare.hears('connection.update', (update) => update.qr);
      await assert.rejects(peer.phone(SHOP).scans(qr));
      const error = await bare.hears('connection.update', ({ lastDisconnect }) => lastDisconnect?.error);
      assert.equal(error.message, said);
    }
    await aBareDevice(t, peer, SHOP);
  });

  it('is rejected by a computer that trusts another network', async (t) => {
    const peer = await aPeer(t, { seed: 7 });
    await aPeer(t, { seed: 8 });
    const bare = new Bare(peer, newAuth());
    assert.equal(await bare.closes(), 400);
    assert.deepEqual(peer.journal.events('registered'), []);
  });
});
