import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import type { FileContent, OutgoingMessage } from '../../../../actors/network/port.ts';
import { children, type Stanza } from '../../../network-peer/stanza.ts';
import { link, logIn } from '../world.ts';
import { assertReportable } from './a-report.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';
import { trustFilesOf } from './trusting.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const file = { contentType: 'application/octet-stream', filename: 'menu.pdf', size: 5, sha256: '' };
const plain = { file, caption: null, voiceNote: false } as const;

const of = (content: OutgoingMessage['content'], more: Partial<OutgoingMessage> = {}) => ({ content, ...more });
const ofFile = (type: FileContent['type'], look: Partial<FileContent> = {}) => of({ ...plain, type, ...look });
const preview = { url: 'https://a.id/menu', title: 'Menu', description: 'Of today', picture: Buffer.from('jpeg').toString('base64') };

/** What is sent; then the type of its stanza, the kind of its sealed parts, its field, and where its file is uploaded. */
const KINDS: Readonly<
  Record<string, readonly [Partial<OutgoingMessage> & Pick<OutgoingMessage, 'content'>, string, string, string, string?]>
> = {
  text: [of({ type: 'text', body: 'Hello' }), 'text', '', 'conversation'],
  link: [of({ type: 'text', body: 'See https://a.id/menu.' }, { preview }), 'media', 'url', 'extendedTextMessage'],
  image: [ofFile('image'), 'media', 'image', 'imageMessage', '/mms/image'],
  'image once': [ofFile('image', { viewOnce: true }), 'media', 'image', 'viewOnceMessageV2', '/mms/image'],
  video: [ofFile('video'), 'media', 'video', 'videoMessage', '/mms/video'],
  'video once': [ofFile('video', { viewOnce: true }), 'media', 'video', 'viewOnceMessageV2', '/mms/video'],
  loop: [ofFile('video', { gif: true }), 'media', 'gif', 'videoMessage', '/mms/gif'],
  round: [ofFile('video', { round: true }), 'media', 'ptv', 'ptvMessage', '/mms/video'],
  sound: [ofFile('audio'), 'media', 'audio', 'audioMessage', '/mms/audio'],
  note: [ofFile('audio', { voiceNote: true }), 'media', 'ptt', 'audioMessage', '/mms/ptt'],
  'note once': [ofFile('audio', { voiceNote: true, viewOnce: true }), 'media', 'ptt', 'viewOnceMessageV2Extension', '/mms/ptt'],
  sticker: [ofFile('sticker'), 'media', 'sticker', 'stickerMessage', '/mms/sticker'],
  document: [ofFile('document'), 'media', 'document', 'documentMessage', '/mms/document'],
  'with caption': [ofFile('document', { caption: 'look' }), 'media', 'document', 'documentWithCaptionMessage', '/mms/document'],
  card: [of({ type: 'contact', name: 'Budi', phone: ANNA }), 'media', 'vcard', 'contactMessage'],
  poll: [of({ type: 'poll', name: 'When?', choices: ['Mon', 'Tue'] }), 'poll', '', 'pollCreationMessageV3'],
};

const sealsIn = (stanza: Stanza): readonly Stanza[] =>
  stanza.tag === 'enc' ? [stanza] : children(stanza).flatMap((child) => sealsIn(child));

function stanzaOf({ peer }: PeerWorld, id: string): Stanza {
  const [entry] = peer.journal.stanzas({ way: 'up', tag: 'message' }).filter(({ stanza }) => stanza.attrs['id'] === id);
  assert.ok(entry, id);
  return entry.stanza;
}

describe('a message on the wire', () => {
  it('has the same type as the same message from an official client, in chats and groups', async (t) => {
    const world = await overThePeer(t);
    trustFilesOf(world.peer, t);
    const shop = await logIn(world, await link(world, SHOP));
    const [group, phone] = [await world.group([SHOP, ANNA]), world.peer.phone(SHOP)];
    let acks = 0;
    for (const [name, [message, type, kind, field, path]] of Object.entries(KINDS)) {
      for (const to of [`${ANNA}@s.whatsapp.net`, group]) {
        const netId = `${name} ${to}`;
        const uploads = world.peer.journal.events('uploaded').length;
        shop.connection.send({ netId, to, quotes: null, ...message }, async () => Readable.from([Buffer.from(`bytes ${netId}`)]));
        acks += 1;
        await shop.hears('acked', acks);
        await world.pass(500);
        const stanza = stanzaOf(world, netId);
        const kinds = sealsIn(stanza).map(({ attrs }) => attrs['mediatype'] ?? '');
        assert.deepEqual([stanza.attrs['type'], [...new Set(kinds)]], [type, [kind]], netId);
        assert.equal(stanza.attrs['sealed_as'], undefined);
        const { whole } = world.peer.contact(ANNA).shown(netId);
        await assertReportable({ stanza, message: whole, from: to === group ? phone.lid : phone.jid, to });
        const uploaded = world.peer.journal.events('uploaded').slice(uploads);
        assert.deepEqual(
          uploaded.map(({ facts }) => String(facts['path']).split('/').slice(0, -1).join('/')),
          path === undefined ? [] : [path],
          netId,
        );
        const shown = world.peer
          .contact(ANNA)
          .shows()
          .find((one) => one.netId === netId);
        assert.ok(shown && (field in shown.message || path !== undefined), netId);
      }
    }
    const { extendedTextMessage } = world.peer.contact(ANNA).shown(`link ${ANNA}@s.whatsapp.net`).message;
    const { text, matchedText, title, description, jpegThumbnail } = extendedTextMessage ?? {};
    assert.deepEqual(
      [text, matchedText, title, description, Buffer.from(jpegThumbnail ?? []).toString()],
      ['See https://a.id/menu.', 'https://a.id/menu', 'Menu', 'Of today', 'jpeg'],
    );
    assert.deepEqual(world.peer.journal.events('violation'), []);
  });
});

describe('an album on the wire', () => {
  it('starts with the message that announces the album, followed by its files in order', async (t) => {
    const world = await overThePeer(t);
    trustFilesOf(world.peer, t);
    const shop = await logIn(world, await link(world, SHOP));
    const to = `${ANNA}@s.whatsapp.net`;
    const album = { netId: 'held', images: 2, videos: 1 };
    const slow = Promise.withResolvers<void>();
    const reading = (bytes: string, until?: Promise<void>) => async () => {
      await until;
      return Readable.from([Buffer.from(bytes)]);
    };
    const types = ['image', 'video', 'image'] as const;
    for (const [nth, type] of types.entries()) {
      const child = { netId: `child ${nth}`, to, quotes: null, album, ...ofFile(type, nth === 0 ? { caption: 'look' } : {}) };
      shop.connection.send(child, reading(`file ${nth}`, nth === 0 ? slow.promise : undefined));
    }
    await world.pass(1_000);
    slow.resolve();
    await shop.hears('acked', 4);
    await world.pass(1_000);
    const left = world.peer.journal.stanzas({ way: 'up', tag: 'message' }).map(({ stanza }) => stanza.attrs['id']);
    assert.deepEqual(left, ['held', 'child 0', 'child 1', 'child 2']);
    assert.equal(stanzaOf(world, 'held').attrs['type'], 'text');
    const { albumMessage } = world.peer.contact(ANNA).shown('held').message;
    assert.deepEqual([albumMessage?.expectedImageCount, albumMessage?.expectedVideoCount], [2, 1]);
    for (const nth of types.keys()) {
      const { messageAssociation } = world.peer.contact(ANNA).shown(`child ${nth}`).message.messageContextInfo ?? {};
      assert.deepEqual([messageAssociation?.associationType, messageAssociation?.parentMessageKey?.id], [1, 'held']);
    }
  });

  it('arrives as messages that refer to the album', async (t) => {
    const world = await overThePeer(t);
    const shop = await logIn(world, await link(world, SHOP));
    const messageAssociation = { associationType: 1, parentMessageKey: { id: 'theirs' } };
    await world.peer.contact(ANNA).writes(SHOP, { conversation: 'a part', messageContextInfo: { messageAssociation } });
    const { message } = await shop.hears('received');
    assert.deepEqual(message.extras?.album, { net_id: 'theirs' });
  });
});
