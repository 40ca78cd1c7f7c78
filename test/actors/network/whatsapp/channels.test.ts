import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { proto } from '@whiskeysockets/baileys';
import type { OutgoingMessage } from '../../../../actors/network/port.ts';
import { present } from '../../../../runtime/invariant.ts';
import { el } from '../../../network-peer/stanza.ts';
import { asked } from '../contract/groups.ts';
import { aDevice, type Ear, finished, link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';
import { trustFilesOf } from './trusting.ts';

const OWN = '6281100000001';
const ANNA = '6281100000002';

async function aShop(t: TestContext) {
  const world = await overThePeer(t);
  return { world, ear: await aDevice(world, OWN), channels: world.peer.channels };
}

const text = (netId: string, to: string): OutgoingMessage => ({ netId, to, content: { type: 'text', body: netId }, quotes: null });

describe('the WhatsApp driver for channels', () => {
  it('sends files unencrypted, under their type', async (t) => {
    const { world, ear, channels } = await aShop(t);
    trustFilesOf(world.peer, t);
    const { id } = await asked(world, ear, 'channels.create', { name: 'News', description: null });
    const bytes = Buffer.from('a picture of bread');
    for (const type of ['image', 'video', 'audio', 'document'] as const) {
      const file = { contentType: 'image/jpeg', filename: 'bread.jpg', size: bytes.length, sha256: '' };
      const content = { type, file, caption: 'Fresh', voiceNote: type === 'audio' };
      ear.connection.send({ ...text(type, id), content }, async () => Readable.from([bytes]));
    }
    await ear.hears('acked', 4);
    assert.deepEqual(ear.all('refused'), []);
    const uploads = world.peer.journal.events('uploaded').map(({ facts }) => String(facts['path']).split('/')[2]);
    assert.deepEqual(uploads.toSorted(), ['newsletter-document', 'newsletter-image', 'newsletter-ptt', 'newsletter-video']);
    const image = channels.get(id)?.posts.find((post) => post.id === 'image');
    const { imageMessage } = proto.Message.decode(image?.bytes ?? Buffer.alloc(0));
    assert.deepEqual([imageMessage?.caption, imageMessage?.mediaKey?.length ?? 0], ['Fresh', 0]);
    assert.ok(world.peer.media.get(imageMessage?.directPath ?? '')?.equals(bytes), 'it lies there unsealed');
    const posts = await asked(world, ear, 'channels.posts', { id, limit: 10, before: null });
    assert.deepEqual(new Set(posts.map(({ type }) => type)), new Set(['image', 'video', 'audio', 'document']));
  });

  it("subscribes to a channel's counts again when the last subscription expires", async (t) => {
    const { world, ear } = await aShop(t);
    const { id } = await asked(world, ear, 'channels.create', { name: 'News', description: null });
    ear.connection.send(text('m1', id));
    await ear.hears('acked');
    const asks = () => world.peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'newsletter', type: 'set' } }).length;
    await world.pass(1_000);
    assert.equal(asks(), 1);
    await world.pass(310_000);
    assert.equal(asks(), 2);
  });

  it('reports reaction counts, but skips invalid emoji and names that are unsafe to store', async (t) => {
    const { world, ear } = await aShop(t);
    const { id: from } = await asked(world, ear, 'channels.create', { name: 'News', description: null });
    const reactions = ['$set', '__proto__', '👍'].map((code) => el('reaction', { code, count: 1 }));
    const post = el('message', { server_id: 100 }, [el('views_count', { count: 3 }), el('reactions', {}, reactions)]);
    const [computer] = world.peer.phone(OWN).linked;
    computer?.deliver(
      el('notification', { from, type: 'newsletter', id: 'N1', t: 1 }, [el('live_updates', {}, [el('messages', { t: 1 }, [post])])]),
    );
    const { views, reactions: told } = (await ear.hears('postStats')).stats;
    assert.deepEqual([views, Object.entries(told)], [3, [['👍', 1]]]);
  });

  const TROUBLES = { lost: 'no response', binary: 'a response in the binary format', broken: 'a server error' } as const;
  for (const [trouble, answered] of Object.entries(TROUBLES) as readonly (readonly [keyof typeof TROUBLES, string])[])
    it(`finds a channel whose creation returned ${answered}, without creating another`, async (t) => {
      const { world, ear, channels } = await aShop(t);
      channels.trouble.set('create', trouble);
      const making = present(ear.connection.ask?.('channels.create', { name: 'News', description: null }), 'an answer');
      await world.pass(20_000);
      const made = await finished(world, making);
      assert.deepEqual([made.name, made.role], ['News', 'owner']);
      assert.deepEqual(
        channels.all.map(({ id }) => id),
        [made.id],
      );
    });

  it('reports that a change may have been made if the network does not respond', async (t) => {
    const { world, ear, channels } = await aShop(t);
    const { id } = await asked(world, ear, 'channels.create', { name: 'News', description: null });
    channels.trouble.set('mute', 'lost');
    const muting = present(ear.connection.ask?.('channels.mute', { id, muted: true }), 'an answer').catch((cause) => cause.code);
    await world.pass(20_000);
    assert.equal(await finished(world, muting), 'DEVICE_TIMEOUT');
  });

  it('reports that the creation of a channel was refused, without searching for the channel', async (t) => {
    const { world, ear, channels } = await aShop(t);
    channels.trouble.set('create', 'busy');
    await assert.rejects(asked(world, ear, 'channels.create', { name: 'News', description: null }), { code: 'RATE_LIMITED' });
    assert.deepEqual(channels.all, []);
    assert.deepEqual(
      world.peer.journal.events('mex').map(({ facts }) => facts['name']),
      [],
    );
  });

  it('tries the next query id if one was retired, and reports an error if none is left', async (t) => {
    const { world, ear, channels } = await aShop(t);
    channels.retired.add('25399611239711790');
    assert.deepEqual(await asked(world, ear, 'channels.list', {}), []);
    channels.retired.add('6388546374527196');
    await assert.rejects(asked(world, ear, 'channels.list', {}), { code: 'CONFLICT' });
    assert.deepEqual([...world.unknownQueries], ['list', 'list', 'list']);
  });

  it('rejects a response in the binary format for phones, with a readable reason', async (t) => {
    const { world, ear, channels } = await aShop(t);
    channels.trouble.set('list', 'binary');
    const refused = await asked(world, ear, 'channels.list', {}).catch((cause) => cause);
    assert.equal(refused.code, 'CONFLICT');
    assert.match(refused.details.reason.en, /only phones can read/);
  });
});

describe('a post in a followed channel', () => {
  async function aFollower(t: TestContext) {
    const world = await overThePeer(t);
    const { peer } = world;
    const credentials = await link(world, OWN);
    const channel = peer.channels.create(peer.phone(ANNA).account, 'News', '', 0);
    channel.followers.add(peer.phone(OWN).account);
    return {
      ...world,
      channel: channel.id,
      posts: (text: string) => peer.posts(channel.id, text),
      answers: (id: string) =>
        peer.journal.stanzas({ way: 'up', attrs: { id } }).map(({ stanza: { tag, attrs } }) => [tag, attrs['error']]),
      /** Whether the network would bring something again. */
      keeps: () => peer.phone(OWN).linked.some(({ mailbox }) => mailbox.waiting.some(({ tag }) => tag === 'message')),
      enters: () => logIn(world, credentials),
      async dies(ear: Ear) {
        ear.connection.close();
        await ear.hears('closed');
        world.restart();
      },
    };
  }

  it('is reported until it is stored, and then acknowledged', async (t) => {
    const shop = await aFollower(t);
    const first = await shop.enters();
    const id = shop.posts('Fresh bread');
    const { message } = await first.hears('received');
    assert.deepEqual([message.netId, message.chat, message.content], [id, shop.channel, { type: 'text', body: 'Fresh bread' }]);
    await shop.dies(first);
    const second = await shop.enters();
    second.connection.acknowledge((await second.hears('received')).message.netId);
    await second.catchesUp();
    assert.deepEqual([shop.answers(id), shop.keeps()], [[['ack', undefined]], false]);
  });

  it('is acknowledged even if its content is unreadable', async (t) => {
    const shop = await aFollower(t);
    const ear = await shop.enters();
    const [computer] = shop.peer.phone(OWN).linked;
    computer?.deliver(el('message', { from: shop.channel, id: 'N1', type: 'text', t: 1 }, [el('plaintext', {}, Buffer.from([0xff]))]));
    computer?.deliver(el('message', { from: shop.channel, id: 'N2', type: 'reaction', t: 1 }, [el('reaction', { code: '👍' })]));
    await ear.catchesUp();
    await shop.pass(20_000);
    assert.deepEqual([...shop.answers('N1'), ...shop.answers('N2'), shop.keeps()], [['ack', undefined], ['ack', undefined], false]);
    assert.deepEqual(shop.peer.journal.stanzas({ way: 'up', tag: 'message' }), []);
  });
});
