import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { before, it } from 'node:test';
import { userJid } from '../../../actors/network/jid.ts';
import type { Ours } from '../../actors/network/whatsapp/in-real-time.ts';
import { trustFilesOf } from '../../actors/network/whatsapp/trusting.ts';
import { expectRead, MEDIA_KINDS } from './media-kinds.ts';
import type { Whatsmeow } from './whatsmeow.ts';
import { withWhatsmeow } from './world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const CARL = '6281100000004';
const DORA = '6281100000005';
const [shopJid, annaJid] = [userJid(SHOP), userJid(ANNA)];
const BYTES = Buffer.from('picture '.repeat(30_000));

withWhatsmeow('whatsmeow and the gateway under faults and changes', (world) => {
  let ours: Ours;
  let anna: Whatsmeow;

  before(async () => {
    ours = await world().ours(SHOP);
    anna = await world().computerOf(ANNA);
  });

  it('link a computer with a code, and keep reading messages', async () => {
    const { peer } = world();
    const carl = await world().whatsmeow(CARL);
    await carl.does('getQRChannel');
    await carl.does('connect');
    await carl.hears('qr');
    const { code } = await carl.does('pairCode', { phone: CARL });
    await peer.phone(CARL).types(code);
    await carl.hears('connected');
    ours.says('to-carl', CARL);
    assert.equal((await carl.gets('to-carl')).message.conversation, 'to-carl');
    peer.phone(CARL).unlinks();
    await carl.hears('logged_out');
  });

  it('exchange messages by hidden address with a computer of a migrated account', async () => {
    const { peer } = world();
    peer.phone(DORA).isMigrated(true);
    const dora = await world().computerOf(DORA);
    await dora.hears('history_sync');
    ours.says('to-dora', DORA);
    assert.equal((await dora.gets('to-dora')).message.conversation, 'to-dora');
    const id = await dora.sends(shopJid, { conversation: 'from Dora' });
    assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body: 'from Dora' });
    const [written] = peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id } });
    assert.equal(written?.stanza.attrs['to'], peer.phone(SHOP).lid);
  });

  it('transfer files without changing their bytes', async (t) => {
    const { peer, directory } = world();
    trustFilesOf(peer, t);
    const file = { contentType: 'image/png', filename: 'a.png', size: BYTES.length, sha256: '' };
    const content = { type: 'image' as const, file, caption: 'look', voiceNote: false };
    ours.sends({ netId: 'file-1', to: annaJid, content }, async () => Readable.from([BYTES]));
    const { message } = await anna.gets('file-1');
    assert.equal(message.imageMessage.caption, 'look');
    const { path } = await anna.does('downloadAny', { message });
    assert.ok((await readFile(path)).equals(BYTES));
    const own = join(directory, 'theirs.bin');
    writeFileSync(own, BYTES);
    const uploaded = await anna.does('uploadMedia', { path: own, mediaType: 'document' });
    const id = await anna.sends(shopJid, { documentMessage: { ...uploaded, mimetype: 'application/pdf', fileName: 'a.pdf' } });
    const { message: received } = await ours.gets(id);
    assert.equal(received.content.type, 'document');
    assert.ok((await buffer(await ours.connection.download(received.file!))).equals(BYTES));
  });

  it('transfer each kind of file that the gateway sends, including the details that apps show', async (t) => {
    const { peer } = world();
    trustFilesOf(peer, t);
    for (const [name, { content, contentType, field, keyFor }] of Object.entries(MEDIA_KINDS)) {
      const sent = Buffer.from(`the bytes of ${name}`);
      const file = { contentType, filename: 'a.pdf', size: sent.length, sha256: '' };
      ours.sends({ netId: name, to: annaJid, content: { ...content, file } }, async () => Readable.from([sent]));
      const { message } = await anna.gets(name);
      expectRead(name, message);
      // whatsmeow downloads by the kind of file, and knows round notes only as videos.
      const { path } = await anna.does('downloadAny', { message: { [`${keyFor}Message`]: message[field] } });
      assert.ok((await readFile(path)).equals(sent), name);
    }
  });

  it('recognize the parts of an album, and show the preview of a link', async (t) => {
    const { peer } = world();
    trustFilesOf(peer, t);
    const album = { netId: 'album-1', images: 2, videos: 0 };
    for (const netId of ['part-1', 'part-2']) {
      const file = { contentType: 'image/png', filename: 'a.png', size: BYTES.length, sha256: '' };
      const content = { type: 'image' as const, file, caption: null, voiceNote: false };
      ours.sends({ netId, to: annaJid, album, content }, async () => Readable.from([BYTES]));
    }
    assert.equal((await anna.gets('album-1')).message.albumMessage.expectedImageCount, 2);
    for (const netId of ['part-1', 'part-2']) {
      const { associationType, parentMessageKey } = (await anna.gets(netId)).message.messageContextInfo.messageAssociation;
      assert.deepEqual([associationType, parentMessageKey.ID], ['MEDIA_ALBUM', 'album-1']);
    }
    const preview = { url: 'https://a.example/menu', title: 'Menu', description: 'Of today', picture: BYTES.toString('base64', 0, 300) };
    ours.sends({ netId: 'link-1', to: annaJid, content: { type: 'text', body: `See ${preview.url}.` }, preview });
    const { extendedTextMessage } = (await anna.gets('link-1')).message;
    const { text, matchedText, title, description, JPEGThumbnail } = extendedTextMessage;
    assert.deepEqual([text, matchedText, title, description], [`See ${preview.url}.`, preview.url, 'Menu', 'Of today']);
    assert.equal(JPEGThumbnail, preview.picture);
  });

  it("apply the phone's settings on the linked computer", async () => {
    const { peer } = world();
    await anna.does('fetchAppState', { name: 'critical_block', fullSync: false, onlyIfNotSynced: false });
    peer.phone(ANNA).isCalled('Anna B.');
    await anna.does('fetchAppState', { name: 'critical_block', fullSync: false, onlyIfNotSynced: false });
    assert.deepEqual(peer.journal.events('violation'), []);
  });

  it('deliver missed messages once to a computer whose process was killed', async () => {
    await anna.kill();
    for (const nth of [1, 2, 3]) ours.says(`while-dead-${nth}`, ANNA);
    await ours.hears('acked', ({ netId }) => netId === 'while-dead-3');
    await anna.start();
    await anna.does('connect');
    for (const nth of [1, 2, 3]) await anna.gets(`while-dead-${nth}`);
    const id = await anna.sends(shopJid, { conversation: 'I live' });
    await ours.gets(id);
    assert.equal(anna.said.filter(({ event, data }) => event === 'message' && data.info.id.startsWith('while-dead')).length, 3);
  });

  it('deliver missed messages after an interruption, and continue normally', async () => {
    const { peer } = world();
    peer.cut(SHOP);
    await ours.hears('closed');
    const id = await anna.sends(shopJid, { conversation: 'while away' });
    ours.events.length = 0;
    ours.dial();
    assert.deepEqual((await ours.gets(id)).message.content, { type: 'text', body: 'while away' });
    ours.says('back', ANNA);
    assert.equal((await anna.gets('back')).message.conversation, 'back');
    assert.deepEqual(peer.ledger.violations, []);
  });
});
