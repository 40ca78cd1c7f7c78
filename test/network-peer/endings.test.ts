import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aBareDevice, aPeer, Bare, logIn } from './bare.ts';

const SHOP = '6281100000001';

describe('a connection to the simulated network', () => {
  for (const code of [401, 403, 411, 440, 500, 503, 515] as const) {
    it(`closes with ${code} when the server ends the connection`, async (t) => {
      const peer = await aPeer(t);
      const shop = await aBareDevice(t, peer, SHOP);
      peer.ends(SHOP, code);
      assert.equal(await shop.closes(), code);
    });
  }

  it('closes when the network drops the connection', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.cut(SHOP);
    assert.equal(await shop.closes(), 428);
    await logIn(t, peer, shop.auth);
  });

  it('closes when a second login replaces it', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await logIn(t, peer, shop.auth);
    assert.equal(await shop.closes(), 440);
  });

  it('closes when the phone unlinks the computer, and further logins are refused', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.phone(SHOP).unlinks();
    assert.equal(await shop.closes(), 401);
    assert.equal(await new Bare(peer, shop.auth).closes(), 401);
  });

  it('closes when the computer logs out, which also unlinks the computer', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await shop.sock.logout();
    await peer.journal.untilEvent('unlinked');
    assert.deepEqual(peer.phone(SHOP).linked, []);
  });

  it('closes when the number is banned, and further logins are refused', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.bans(SHOP);
    assert.equal(await shop.closes(), 403);
    assert.equal(await new Bare(peer, shop.auth).closes(), 403);
  });

  it('can be reopened with the same login after the server restarts', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await peer.restart();
    assert.equal(await shop.closes(), 428);
    const id = await peer.contact('6281100000002').writes(SHOP, 'kept');
    const again = await logIn(t, peer, shop.auth);
    await again.receives(id);
  });

  it('responds to pings', async (t) => {
    const peer = await aPeer(t);
    await aBareDevice(t, peer, SHOP, { keepAliveIntervalMs: 50 });
    await peer.journal.until((entry) => entry.kind === 'stanza' && entry.stanza.attrs['xmlns'] === 'w:p');
  });
});
