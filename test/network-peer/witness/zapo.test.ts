import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { userJid } from '../../../actors/network/jid.ts';
import { aDriver, linkOurs, type Ours } from '../../actors/network/whatsapp/in-real-time.ts';
import { trustFilesOf } from '../../actors/network/whatsapp/trusting.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';
import { watchGrammar } from '../grammar/watch.ts';
import { type Peer, startPeer } from '../peer.ts';
import { expectRead, fileIn, MEDIA_KINDS } from './media-kinds.ts';
import { bytesOfFile, Zapo } from './zapo.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const [shopJid, annaJid] = [userJid(SHOP), userJid(ANNA)];

describe('zapo and the gateway', () => {
  let peer: Peer;
  let ours: Ours;
  let anna: Zapo;
  const ends: (() => unknown)[] = [];
  const scope: Scope = { after: (end) => void ends.unshift(end) };

  before(async () => {
    peer = await startPeer({ grammar: watchGrammar() });
    scope.after(() => peer.stop());
    ours = await linkOurs(peer, (await aDriver(scope, peer, aDirectory(scope))).open, SHOP);
    anna = await Zapo.of(peer, ANNA);
    scope.after(() => anna.stop());
  });
  after(async () => {
    for (const end of ends) await end();
  });

  for (const form of ['numbers', 'hidden addresses'] as const)
    it(`read each other's messages by ${form}, and send receipts`, async () => {
      const [toAnna, toShop] = form === 'numbers' ? [annaJid, shopJid] : [peer.contact(ANNA).lid, peer.phone(SHOP).lid];
      for (const nth of [1, 2]) {
        const out = `${form}-${nth}`;
        ours.says(out, toAnna);
        assert.equal((await anna.gets(out)).message.conversation, out);
        await ours.hears('receipt', ({ netIds, status }) => netIds.includes(out) && status === 'delivered');
        const id = await anna.sends(toShop, `theirs ${out}`);
        assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body: `theirs ${out}` });
        await anna.hears('message_receipt', ({ stanzaId }) => stanzaId === id);
      }
    });

  it('report to each other which messages have been read', async () => {
    ours.says('to-read', ANNA);
    await anna.gets('to-read');
    await anna.reads(shopJid, 'to-read');
    await ours.hears('receipt', ({ netIds, status }) => netIds.includes('to-read') && status === 'read');
    const id = await anna.sends(shopJid, 'Read me');
    const { message } = await ours.gets(id);
    ours.connection.markRead(message.chat, [{ netId: id, from: message.from }]);
    await anna.hears('message_receipt', ({ stanzaId, stanzaType }) => stanzaId === id && stanzaType === 'read');
  });

  it('exchange edits, reactions and deletions', async () => {
    ours.says('typo', ANNA, 'befor');
    await anna.gets('typo');
    ours.connection.edit({ netId: 'typo-edit', target: { chat: annaJid, netId: 'typo', from: null }, body: 'before', at: 1 });
    await anna.hears(
      'message_protocol',
      ({ protocolMessage }) =>
        protocolMessage.editedMessage?.conversation === 'before' || JSON.stringify(protocolMessage).includes('"before"'),
    );
    await anna.sends(shopJid, { reactionMessage: { key: { remoteJid: shopJid, fromMe: false, id: 'typo' }, text: '👍' } });
    assert.equal((await ours.hears('reaction', ({ target }) => target === 'typo')).emoji, '👍');
    ours.connection.erase({ netId: 'typo-erase', target: { chat: annaJid, netId: 'typo', from: null } });
    await anna.hears('message_protocol', ({ protocolMessage }) => protocolMessage.key?.id === 'typo' && protocolMessage.type === 0);
  });

  for (const addressing of ['pn', 'lid'] as const)
    it(`read each other's messages in a group addressed by ${addressing === 'pn' ? 'number' : 'hidden address'}`, async () => {
      const { jid } = peer.group([SHOP, ANNA, BUDI], { addressing });
      for (const nth of [1, 2]) {
        const out = `group-${addressing}-${nth}`;
        ours.says(out, jid);
        assert.equal((await anna.gets(out)).message.conversation, out);
        const id = await anna.sends(jid, `theirs ${out}`);
        assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body: `theirs ${out}` });
      }
    });

  it('request unreadable messages again, and then receive them', async () => {
    peer.fault({ kind: 'spoil', phone: ANNA, times: 1 });
    ours.says('spoilt', ANNA, 'again');
    assert.equal((await anna.gets('spoilt')).message.conversation, 'again');
    peer.fault({ kind: 'spoil', phone: SHOP, times: 1 });
    const id = await anna.sends(shopJid, 'once more');
    assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body: 'once more' });
  });

  it('transfer each kind of file that the gateway sends, including the details that apps show', async (t) => {
    trustFilesOf(peer, t);
    for (const [name, { content, contentType, field, keyFor }] of Object.entries(MEDIA_KINDS)) {
      const sent = Buffer.from(`the bytes of ${name}`);
      const file = { contentType, filename: 'a.pdf', size: sent.length, sha256: '' };
      ours.sends({ netId: name, to: annaJid, content: { ...content, file } }, async () => Readable.from([sent]));
      const { message } = await anna.gets(name);
      expectRead(name, message);
      const read = await bytesOfFile(peer, keyFor, fileIn(message, field));
      assert.ok(sent.equals(read), name);
    }
  });

  it('do not violate the network protocol', () => {
    assert.deepEqual([peer.ledger.violations, peer.journal.events('violation')], [[], []]);
  });
});
