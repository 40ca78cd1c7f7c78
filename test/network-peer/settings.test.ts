import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proto } from '@whiskeysockets/baileys';
import { aBareDevice, aPeer } from './bare.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;

describe("settings shared by all of a number's devices", () => {
  it('are synchronized between computers, for example when a chat is archived', async (t) => {
    const peer = await aPeer(t);
    const one = await aBareDevice(t, peer, SHOP);
    const two = await aBareDevice(t, peer, SHOP);
    const id = await peer.contact(ANNA).writes(SHOP, 'Hi');
    const { key, messageTimestamp } = await one.receives(id);
    await one.sock.chatModify({ archive: true, lastMessages: [{ key: key!, messageTimestamp: Number(messageTimestamp) }] }, annaJid);
    const archived = await two.hears('chats.update', (chats) => chats.find((chat) => chat.id === annaJid && chat.archived));
    assert.equal(archived.archived, true);
    await two.sock.chatModify({ archive: false, lastMessages: [{ key: key!, messageTimestamp: Number(messageTimestamp) }] }, annaJid);
    await one.hears('chats.update', (chats) => chats.find((chat) => chat.id === annaJid && chat.archived === false));
    assert.deepEqual(peer.journal.events('violation'), []);
  });

  it('cannot be changed from an old version or without the keys', async (t) => {
    const peer = await aPeer(t);
    const { settings } = peer.phone(SHOP).account;
    const record = { index: { blob: Buffer.alloc(32, 1) }, value: { blob: Buffer.alloc(48, 2) }, keyId: { id: settings.key.id } };
    const mutations = [{ operation: proto.SyncdMutation.SyncdOperation.SET, record }];
    const patch = Buffer.from(proto.SyncdPatch.encode({ mutations, snapshotMac: Buffer.alloc(32) }).finish());
    assert.equal(settings.push('regular', 3, patch), 'conflict');
    assert.equal(settings.version('regular'), 0);
    assert.equal(settings.push('regular', 0, patch), 'forged');
  });
});
