import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import type { Credentials, FileContent, OutgoingMessage } from '../../../../actors/network/port.ts';
import { Ear, finished, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';
import { trustFilesOf } from './trusting.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const annaJid = `${ANNA}@s.whatsapp.net`;
const DAY = 86_400_000;
const BYTES = Buffer.from('picture '.repeat(30_000));

async function aWorld(t: TestContext): Promise<{ world: PeerWorld; shop: Ear; credentials: Credentials }> {
  const world = await overThePeer(t);
  trustFilesOf(world.peer, t);
  const credentials = await link(world, SHOP);
  return { world, credentials, shop: await logIn(world, credentials) };
}

function aFile(type: FileContent['type'], netId: string): OutgoingMessage {
  const file = { contentType: 'application/octet-stream', filename: 'a name.bin', size: BYTES.length, sha256: '' };
  return {
    netId,
    to: annaJid,
    quotes: null,
    content: { type, file, caption: type === 'image' ? 'look' : null, voiceNote: type === 'audio' },
  };
}

describe('files in the WhatsApp driver', () => {
  it('are sent unchanged, whatever their type', async (t) => {
    const { world, shop } = await aWorld(t);
    const types = ['image', 'video', 'audio', 'document', 'sticker'] as const;
    for (const type of types)
      shop.connection.send(aFile(type, type), async () => Readable.from([BYTES.subarray(0, 100), BYTES.subarray(100)]));
    await shop.hears('acked', types.length);
    await world.pass(500);
    for (const type of types) assert.ok(world.peer.contact(ANNA).opens(type).equals(BYTES), type);
    assert.equal(world.peer.contact(ANNA).shown('image').text, 'look');
    assert.ok(world.peer.journal.events('uploaded').every(({ facts }) => facts['isRight']));
  });

  it('are sent again by the next process if a phone failed to read them', async (t) => {
    const { world, shop, credentials } = await aWorld(t);
    const anna = world.peer.contact(ANNA);
    shop.sends('m1', ANNA);
    await shop.hears('receipt', 2);
    await anna.forgets(SHOP);
    await anna.is({ isOnline: false });
    shop.connection.send({ ...aFile('image', 'm2'), fileKey: 'the bytes' }, async () => Readable.from([Buffer.from('the bytes')]));
    await shop.hears('acked', 2);
    shop.connection.close();
    await shop.hears('closed');
    await anna.is({ isOnline: true });
    const next = await logIn(world, credentials);
    await world.pass(10_000);
    // Those of the first message come once more, since nobody acknowledged them, and may be told with those of this one.
    const isTold = (): boolean => next.all('receipt').some(({ netIds }) => netIds.includes('m2'));
    for (let tries = 0; !isTold() && tries < 500; tries += 1) await world.pass(100);
    assert.equal(anna.opens('m2').toString(), 'the bytes');
  });

  it('are uploaded at most once a day, no matter how many messages and logins use them', async (t) => {
    const { world, shop, credentials } = await aWorld(t);
    const { media } = world.peer;
    const sends = (on: Ear, netId: string, fileKey = 'menu') =>
      on.connection.send({ ...aFile('image', netId), fileKey }, async () => Readable.from([BYTES]));
    for (const netId of ['m1', 'm2']) sends(shop, netId);
    sends(shop, 'm3', 'another');
    await shop.hears('acked', 3);
    assert.equal(media.uploads, 2);
    shop.connection.close();
    await shop.hears('closed');
    // Of a device that is away nothing happens meanwhile.
    await world.clock.advance(DAY - 60_000);
    const next = await logIn(world, credentials);
    sends(next, 'm4');
    await next.hears('acked');
    assert.equal(media.uploads, 2);
    await world.pass(60_000);
    sends(next, 'm5');
    await next.hears('acked', 2);
    assert.equal(media.uploads, 3);
    assert.ok(world.peer.contact(ANNA).opens('m4').equals(BYTES));
  });

  it('cannot be sent if they no longer exist', async (t) => {
    const { shop } = await aWorld(t);
    shop.connection.send(aFile('image', 'm1'));
    assert.deepEqual(await shop.hears('refused'), { type: 'refused', netId: 'm1', reason: 'media_gone' });
  });

  it('are received unchanged', async (t) => {
    const { world, shop } = await aWorld(t);
    await world.peer.contact(ANNA).sendsFile(SHOP, { kind: 'document', bytes: BYTES, contentType: 'text/plain', name: 'prices.txt' });
    const { message } = await shop.hears('received');
    assert.ok(message.content.type === 'document' && message.file);
    assert.deepEqual([message.content.file.filename, message.content.file.contentType], ['prices.txt', 'text/plain']);
    const bytes = await finished(world, shop.connection.download(message.file).then(buffer));
    assert.ok(bytes.equals(BYTES));
  });

  it('are downloaded even after the network deleted them, if our phone can upload them again', async (t) => {
    const { world, shop } = await aWorld(t);
    const anna = world.peer.contact(ANNA);
    const sends = async (name: string) => {
      const id = await anna.sendsFile(SHOP, { kind: 'document', bytes: Buffer.from(name), contentType: 'text/plain', name });
      const { mediaKey, directPath } = anna.shown(id).message.documentMessage ?? assert.fail();
      return { id, mediaKey: mediaKey ?? assert.fail(), sealed: world.peer.media.get(directPath ?? '') ?? assert.fail() };
    };
    const kept = await sends('kept');
    await sends('lost');
    await shop.hears('received', 2);
    world.peer.media.forgetAll();
    world.peer.contact(SHOP).account.keptFiles.set(kept.id, kept);
    const [hers, lost] = shop.all('received').map(({ message }) => message.file ?? assert.fail());
    const bytes = await finished(world, shop.connection.download(hers!).then(buffer));
    assert.equal(bytes.toString(), 'kept');
    await assert.rejects(finished(world, shop.connection.download(lost!)), { code: 'NOT_FOUND' });
    assert.deepEqual(world.peer.ledger.violations, []);
  });

  it('are downloaded by the next process after a crash, even before that process has completed its login', async (t) => {
    const { world, shop, credentials } = await aWorld(t);
    await world.peer.contact(ANNA).sendsFile(SHOP, { kind: 'image', bytes: BYTES, contentType: 'image/png' });
    await shop.hears('received');
    shop.connection.close();
    await shop.hears('closed');
    const fetched: Promise<Buffer>[] = [];
    const next = new Ear(world, credentials, 'device', (event) => {
      if (event.type === 'received' && event.message.file) fetched.push(next.connection.download(event.message.file).then(buffer));
    });
    await next.hears('received');
    assert.ok((await finished(world, fetched[0]!)).equals(BYTES));
  });

  it("are downloaded only from the network's host, no matter which address the sender gives", async (t) => {
    const { world, shop } = await aWorld(t);
    const elsewhere = { type: 'image', key: Buffer.alloc(32).toString('base64'), url: null, path: '@127.0.0.1:1/secret' };
    await assert.rejects(finished(world, shop.connection.download(elsewhere)), { code: 'NOT_FOUND' });
    const gone = { ...elsewhere, url: 'https://127.0.0.1:1/v/none', path: null };
    await assert.rejects(finished(world, shop.connection.download(gone)), { code: 'NOT_FOUND' });
    assert.equal(world.peer.journal.events('downloaded').length, 1, 'the second was looked for at the network’s own');
  });
});
