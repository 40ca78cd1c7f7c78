import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { describe, it } from 'node:test';
import { downloadMediaMessage, type UserFacingSocketConfig, type WAMessage } from '@whiskeysockets/baileys';
import pino from 'pino';
import { Agent as Dispatcher } from 'undici';
import { aBareDevice, aPeer } from './bare.ts';
import type { Peer } from './peer.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;
const BYTES = Buffer.from('picture '.repeat(20_000));

/** Returns the options with which a client trusts the media host. Uploads and downloads use different options. */
function trusting({ media }: Peer): Partial<UserFacingSocketConfig> {
  const dispatcher = new Dispatcher({ connect: { ca: media.certificate } });
  return { fetchAgent: new Agent({ ca: media.certificate }), options: { dispatcher } as object };
}

const download = (message: WAMessage, config: Partial<UserFacingSocketConfig>): Promise<Buffer> =>
  downloadMediaMessage(message, 'buffer', config.options ? { options: config.options } : {}, {
    logger: pino({ level: 'silent' }),
    reuploadRequest: () => Promise.reject(new Error('gone')),
  });

describe('files', () => {
  it('can be sent by a computer and opened by the phone', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP, trusting(peer));
    const { key } = (await shop.sock.sendMessage(annaJid, {
      document: BYTES,
      mimetype: 'text/plain',
      fileName: 'a.txt',
      caption: 'look',
    }))!;
    await peer.journal.untilEvent('shown', { id: key.id, on: ANNA });
    assert.equal(peer.contact(ANNA).shown(key.id!).text, 'look');
    assert.ok(peer.contact(ANNA).opens(key.id!).equals(BYTES));
    assert.equal(peer.journal.events('uploaded')[0]?.facts['isRight'], true);
  });

  for (const kind of ['image', 'video', 'audio', 'document', 'sticker'] as const) {
    it(`can be sent by a phone as ${kind} and opened by the computer`, async (t) => {
      const peer = await aPeer(t);
      const config = trusting(peer);
      const shop = await aBareDevice(t, peer, SHOP, config);
      const id = await peer.contact(ANNA).sendsFile(SHOP, { kind, bytes: BYTES, contentType: 'x/y' });
      const message = await shop.receives(id);
      assert.ok((await download(message as WAMessage, config)).equals(BYTES));
    });
  }

  it('cannot be downloaded after they have been deleted', async (t) => {
    const peer = await aPeer(t);
    const config = trusting(peer);
    const shop = await aBareDevice(t, peer, SHOP, config);
    const id = await peer.contact(ANNA).sendsFile(SHOP, { kind: 'document', bytes: BYTES, contentType: 'x/y' });
    const message = await shop.receives(id);
    peer.media.forgetAll();
    await assert.rejects(download(message as WAMessage, config));
    assert.throws(() => peer.contact(ANNA).opens(id), /gone/);
  });

  it('can be rejected during upload', async (t) => {
    const peer = await aPeer(t);
    const shop = await aBareDevice(t, peer, SHOP, trusting(peer));
    peer.media.refuseUploads(503);
    await assert.rejects(shop.sock.sendMessage(annaJid, { document: BYTES, mimetype: 'text/plain' }));
    peer.media.refuseUploads(null);
    await shop.sock.sendMessage(annaJid, { document: BYTES, mimetype: 'text/plain' });
  });
});
