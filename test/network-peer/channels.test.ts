import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys';
import { present } from '../../runtime/invariant.ts';
import { aBareDevice, aPeer, type Bare } from './bare.ts';
import type { Peer } from './peer.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const STORIES = 'status@broadcast';

async function aShop(t: TestContext): Promise<{ peer: Peer; shop: Bare }> {
  const peer = await aPeer(t);
  return { peer, shop: await aBareDevice(t, peer, SHOP) };
}

const keyOf = (sent: WAMessage | undefined): WAMessageKey => present(sent?.key, 'a key');

const ackOf = (peer: Peer, id: string) => peer.journal.untilStanza({ way: 'down', tag: 'ack', attrs: { id } });

describe('channels, with the bare library', () => {
  it('it makes a channel and throws all the same, so that whoever tries again makes another', async (t) => {
    const { peer, shop } = await aShop(t);
    peer.channels.acceptedTerms.add(owner(peer));
    await assert.rejects(shop.sock.newsletterCreate('News'), TypeError);
    await assert.rejects(shop.sock.newsletterCreate('News'), TypeError);
    assert.equal(peer.channels.all.length, 2);
  });

  it('its files, polls, edits and deletions are refused, and it says that they were sent', async (t) => {
    const { peer, shop } = await aShop(t);
    const { id: channel } = peer.channels.create(owner(peer), 'News', '', 0);
    const text = await shop.sock.sendMessage(channel, { text: 'works' });
    assert.equal((await ackOf(peer, text?.key.id ?? '')).stanza.attrs['error'], undefined);
    const file = { url: 'https://peer/v/1', directPath: '/v/1', mimetype: 'image/jpeg', fileLength: 3 };
    const image = await shop.sock.relayMessage(channel, { imageMessage: file }, { messageId: 'IMAGE1' });
    assert.equal((await ackOf(peer, image)).stanza.attrs['error'], '479');
    const tries = [
      await shop.sock.sendMessage(channel, { poll: { name: 'Lunch?', values: ['yes', 'no'] } }),
      await shop.sock.sendMessage(channel, { text: 'better', edit: keyOf(text) }),
      await shop.sock.sendMessage(channel, { delete: keyOf(text) }),
    ];
    for (const sent of tries) assert.equal((await ackOf(peer, sent?.key.id ?? '')).stanza.attrs['error'], '479');
    assert.equal(peer.channels.get(channel)?.posts.length, 1);
  });

  it('it asks another question where it wants the followers', async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    await assert.rejects(shop.sock.newsletterSubscribers(id), /unexpected response structure/);
  });

  it('it takes an answer in the form of phones for JSON', async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    peer.channels.trouble.set('get', 'binary');
    await assert.rejects(shop.sock.newsletterMetadata('jid', id), SyntaxError);
  });

  it('it never tells how often a post was seen', async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    const sent = await shop.sock.sendMessage(id, { text: 'hi' });
    const netId = sent?.key.id ?? '';
    await ackOf(peer, netId);
    await shop.sock.subscribeNewsletterUpdates(id);
    peer.viewsPost(ANNA, id, netId);
    await peer.journal.untilStanza({ way: 'up', tag: 'ack', attrs: { class: 'notification', type: 'newsletter' } });
    assert.deepEqual(
      shop.heard.filter(({ name }) => name.startsWith('newsletter')),
      [],
    );
  });
});

describe('statuses, with the bare library', () => {
  it('one for numbers is refused, and it says that it was sent', async (t) => {
    const { peer, shop } = await aShop(t);
    const sent = await shop.sock.sendMessage(STORIES, { text: 'sale' }, { statusJidList: [`${ANNA}@s.whatsapp.net`] });
    assert.equal((await ackOf(peer, sent?.key.id ?? '')).stanza.attrs['error'], '479');
    assert.deepEqual(peer.phone(ANNA).shows(), []);
  });

  it('one for nobody is taken, and nobody sees it', async (t) => {
    const { peer, shop } = await aShop(t);
    const sent = await shop.sock.sendMessage(STORIES, { text: 'sale' }, { statusJidList: [] });
    assert.equal((await ackOf(peer, sent?.key.id ?? '')).stanza.attrs['error'], undefined);
    assert.deepEqual(peer.phone(ANNA).shows(), []);
  });
});

const owner = (peer: Peer) => peer.phone(SHOP).account;
