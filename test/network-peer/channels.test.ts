import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { WAMessage, WAMessageKey } from '@whiskeysockets/baileys';
import { present } from '../../runtime/invariant.ts';
import { aBareDevice, aPeer, type Bare } from './bare.ts';
import type { Peer } from './peer.ts';
import { child, children, el, textOf } from './stanza.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const STORIES = 'status@broadcast';

async function aShop(t: TestContext): Promise<{ peer: Peer; shop: Bare }> {
  const peer = await aPeer(t);
  return { peer, shop: await aBareDevice(t, peer, SHOP) };
}

const keyOf = (sent: WAMessage | undefined): WAMessageKey => present(sent?.key, 'a key');

const ackOf = (peer: Peer, id: string) => peer.journal.untilStanza({ way: 'down', tag: 'ack', attrs: { id } });

describe('the unmodified client library using channels', () => {
  it('throws even though the channel was created, so a retry creates a second channel', async (t) => {
    const { peer, shop } = await aShop(t);
    peer.channels.acceptedTerms.add(owner(peer));
    await assert.rejects(shop.sock.newsletterCreate('News'), TypeError);
    await assert.rejects(shop.sock.newsletterCreate('News'), TypeError);
    assert.equal(peer.channels.all.length, 2);
  });

  it('reports rejected files, polls, edits and deletions as sent', async (t) => {
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

  it("cannot list the account's own channels, although the network can", async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    const lists = Object.keys(shop.sock).filter((name) => /^newsletter.*(all|list|subscribed|participating)/i.test(name));
    assert.deepEqual(lists, []);
    const variables = Buffer.from(JSON.stringify({ variables: {} }));
    const question = el('query', { query_id: '25399611239711790' }, variables);
    const answer = await shop.sock.query(el('iq', { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:mex' }, [question]));
    const { data } = JSON.parse(textOf(answer, 'result'));
    assert.deepEqual(
      data.xwa2_newsletter_subscribed.map((one: { id: string; thread_metadata: { picture: null } }) => [
        one.id,
        one.thread_metadata.picture,
      ]),
      [[id, null]],
    );
  });

  it('cannot list followers because its query is wrong', async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    await assert.rejects(shop.sock.newsletterSubscribers(id), /unexpected response structure/);
  });

  it("expects JSON, and throws on a response in the phone's format", async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    peer.channels.trouble.set('get', 'binary');
    await assert.rejects(shop.sock.newsletterMetadata('jid', id), SyntaxError);
  });

  it('reports a reaction as sent even though its message id was rejected', async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    const netId = keyOf(await shop.sock.sendMessage(id, { text: 'hi' })).id ?? '';
    await ackOf(peer, netId);
    await shop.sock.newsletterReactMessage(id, netId, '👍');
    const { attrs } = (await peer.journal.untilStanza({ way: 'up', tag: 'message', attrs: { type: 'reaction' } })).stanza;
    assert.equal((await ackOf(peer, attrs['id'] ?? '')).stanza.attrs['error'], '479');
    assert.equal(peer.channels.get(id)?.posts[0]?.reactions.size, 0);
  });

  it('returns a stanza that does not contain the requested posts', async (t) => {
    const { peer, shop } = await aShop(t);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    await ackOf(peer, keyOf(await shop.sock.sendMessage(id, { text: 'hi' })).id ?? '');
    const answer = await shop.sock.newsletterFetchMessages(id, 10, 0, 0);
    assert.deepEqual([answer.tag, children(child(answer, 'message_updates')).length], ['iq', 0]);
  });

  it('neither accepts the terms nor updates its query ids, so the network rejects its queries', async (t) => {
    const { peer, shop } = await aShop(t);
    await assert.rejects(shop.sock.newsletterCreate('News'), /refused/);
    const { id } = peer.channels.create(owner(peer), 'News', '', 0);
    assert.equal((await shop.sock.newsletterMetadata('jid', id))?.id, id);
    peer.channels.retired.add('6563316087068696');
    await assert.rejects(shop.sock.newsletterMetadata('jid', id), /Unknown query document/);
  });

  it('does not limit its query rate, so the network rejects its queries', async (t) => {
    const { peer, shop } = await aShop(t);
    peer.fault({ kind: 'limit-questions', xmlns: 'privacy', most: 6, everyMs: 60_000 });
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => shop.sock.fetchPrivacySettings(true)));
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason.data] : []));
    assert.deepEqual(
      refused,
      Array.from({ length: 6 }, () => 429),
    );
  });

  it('acknowledges notifications before they are stored, so a crash loses them', async (t) => {
    const { peer, shop } = await aShop(t);
    peer.phone(SHOP).app.blocks(ANNA);
    peer.channels.acceptedTerms.add(owner(peer));
    await assert.rejects(shop.sock.newsletterCreate('News'), TypeError);
    for (const type of ['account_sync', 'mex'])
      await peer.journal.untilStanza({ way: 'up', tag: 'ack', attrs: { class: 'notification', type } });
  });

  it("does not report a post's views", async (t) => {
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

describe('the unmodified client library using statuses', () => {
  it('reports a status as sent even though it was rejected for the given numbers', async (t) => {
    const { peer, shop } = await aShop(t);
    const sent = await shop.sock.sendMessage(STORIES, { text: 'sale' }, { statusJidList: [`${ANNA}@s.whatsapp.net`] });
    assert.equal((await ackOf(peer, sent?.key.id ?? '')).stanza.attrs['error'], '479');
    assert.deepEqual(peer.phone(ANNA).shows(), []);
  });

  it('sends a status without recipients, so phones do not show it', async (t) => {
    const { peer, shop } = await aShop(t);
    const sent = await shop.sock.sendMessage(STORIES, { text: 'sale' }, { statusJidList: [] });
    assert.equal((await ackOf(peer, sent?.key.id ?? '')).stanza.attrs['error'], undefined);
    assert.deepEqual(peer.phone(ANNA).shows(), []);
  });
});

const owner = (peer: Peer) => peer.phone(SHOP).account;
