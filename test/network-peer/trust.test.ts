import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WAMessageKey } from '@whiskeysockets/baileys';
import { aBareDevice, aPeer, type Bare } from './bare.ts';
import type { Peer } from './peer.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const annaJid = `${ANNA}@s.whatsapp.net`;

async function says(peer: Peer, shop: Bare, to: string, text: string, on = ANNA): Promise<WAMessageKey> {
  const { key } = (await shop.sock.sendMessage(to, { text }))!;
  await peer.journal.untilEvent('shown', { id: key.id, on });
  return key;
}

describe('changed keys and lost sessions', () => {
  it('cause a phone to request an unreadable message again and then receive it', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await says(peer, shop, annaJid, 'before');
    await shop.receives(await peer.contact(ANNA).writes(SHOP, 'warm'));
    await peer.contact(ANNA).forgets(SHOP);
    const key = await says(peer, shop, annaJid, 'after');
    assert.ok(peer.journal.events('unreadable').some(({ facts }) => facts['id'] === key.id));
    assert.equal(
      peer
        .contact(ANNA)
        .shows()
        .filter(({ netId }) => netId === key.id).length,
      1,
    );
    assert.deepEqual(peer.ledger.violations, []);
  });

  it('cause a computer to request an unreadable message again and then receive it', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await shop.receives(await peer.contact(ANNA).writes(SHOP, 'before'));
    await shop.auth.keys.set({ session: Object.fromEntries(await sessionsOf(shop, peer.contact(ANNA).lid)) });
    await says(peer, shop, annaJid, 'and back');
    await peer.contact(ANNA).forgets(SHOP);
    const id = await peer.contact(ANNA).writes(SHOP, 'after');
    assert.equal((await shop.receives(id)).message?.conversation, 'after');
  });

  it('do not prevent delivery to a phone with new keys', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await says(peer, shop, annaJid, 'before');
    peer.contact(ANNA).reinstalls();
    await peer.journal.untilStanza({ way: 'up', tag: 'ack', attrs: { class: 'notification', type: 'encrypt' } });
    await says(peer, shop, annaJid, 'after');
    peer.contact(ANNA).reinstalls({ isAnnounced: false });
    await says(peer, shop, annaJid, 'after, unannounced');
  });

  it("do not prevent delivery to a person's new device", async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await says(peer, shop, annaJid, 'to one');
    const device = peer.contact(ANNA).addsDevice();
    await peer.journal.untilStanza({ way: 'up', tag: 'ack', attrs: { class: 'notification', type: 'devices' } });
    await says(peer, shop, annaJid, 'to both');
    assert.deepEqual(peer.journal.events('incomplete'), []);
    const [message] = peer.journal.stanzas({ way: 'up', tag: 'message' }).slice(-1);
    assert.match(JSON.stringify(message?.stanza), new RegExp(`${ANNA}:${device}@`));
  });

  it('let the network detect a message that leaves out a device whose announcement was lost', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await says(peer, shop, annaJid, 'to one');
    peer.fault({ kind: 'drop', way: 'down', tag: 'notification' });
    const device = peer.contact(ANNA).addsDevice();
    const { id } = await says(peer, shop, annaJid, 'to one again');
    const [left] = peer.journal.events('incomplete');
    assert.deepEqual(left?.facts, { id, missing: [`${ANNA}:${device}@s.whatsapp.net`] });
  });

  it('cause a group member to request a missing group key', async (t) => {
    const peer = await aPeer(t, { givesOwnKeys: true });
    const shop = await aBareDevice(t, peer, SHOP);
    const { jid } = peer.group([SHOP, ANNA, BUDI]);
    await says(peer, shop, jid, 'before');
    await peer.contact(ANNA).forgets(SHOP);
    await says(peer, shop, jid, 'after');
    assert.equal(peer.contact(ANNA).shows().at(-1)?.text, 'after');
  });
});

describe('notices from the network', () => {
  it('report that a number may not start chats, and why', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    await says(peer, shop, annaJid, 'known already');
    const until = Date.UTC(2040, 0, 1);
    peer.phone(SHOP).isRestricted({ until, reason: 'BIZ_QUALITY', used: 5, quota: 5 });
    const lock = await shop.hears('connection.update', ({ reachoutTimeLock }) => reachoutTimeLock?.isActive && reachoutTimeLock);
    assert.deepEqual([lock.timeEnforcementEnds?.getTime(), lock.enforcementType], [until, 'BIZ_QUALITY']);
    assert.equal(await shop.hears('message-capping.update', (cap) => cap.total_quota), 5);
    assert.equal((await shop.sock.fetchAccountReachoutTimelock()).isActive, true);
    const { key } = (await shop.sock.sendMessage(`${BUDI}@s.whatsapp.net`, { text: 'a stranger' }))!;
    const ack = await peer.journal.untilStanza({ way: 'down', tag: 'ack', attrs: { id: key.id! } });
    assert.equal(ack.stanza.attrs['error'], '463');
    await says(peer, shop, annaJid, 'a friend');
    peer.phone(SHOP).isRestricted(null);
    await says(peer, shop, `${BUDI}@s.whatsapp.net`, 'again', BUDI);
  });

  it('reveal the number that belongs to a hidden address', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP);
    peer.contact(ANNA).linksProfiles();
    const { lid, pn } = await shop.hears('lid-mapping.update', (mapping) => mapping);
    assert.deepEqual([lid, pn], [peer.contact(ANNA).lid, annaJid]);
  });
});

async function sessionsOf(shop: Bare, lid: string): Promise<[string, null][]> {
  const address = shop.sock.signalRepository.jidToSignalProtocolAddress(lid);
  return [[address, null]];
}
