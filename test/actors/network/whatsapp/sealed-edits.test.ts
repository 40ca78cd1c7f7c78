import assert from 'node:assert/strict';
import { it } from 'node:test';
import { messageSecretsIn, SECRET_KEPT_MS } from '../../../../store/messaging/message-secrets.ts';
import { type MessageRow, messagesSpec } from '../../../../store/messaging/messages.ts';
import { sealedComment, sealedEdit, sealedReaction } from '../../../network-peer/people/sealed.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const EVE = '6281100000003';
const ORDER = 'Two shirts';

async function aShop(t: Scope, kind: StoreKind) {
  const gateway = await aRealGateway(t, kind);
  const { peer, until } = gateway;
  const token = await gateway.signUp(OWNER);
  const api = gateway.as(token);
  const path = await gateway.linked(api, SHOP);
  const anna = peer.contact(ANNA);
  const random = { bytes: (length: number) => Buffer.alloc(length, 7) } as const;
  const rows = gateway.store.collection<MessageRow>(messagesSpec);
  const listed = async () => (await api('GET', `${path}/messages?direction=inbound`)).body.messages;
  const bodyOf = async (id: string) => (await api('GET', `${path}/messages/${id}`)).body;
  const secret = Buffer.alloc(32, 9);
  const writes = (to: string, text: string) => anna.writes(to, { conversation: text, messageContextInfo: { messageSecret: secret } });
  const key = (id: string, remoteJid = anna.jid) => ({ id, remoteJid, fromMe: true });
  return { gateway, token, peer, until, api, path, anna, random, rows, listed, bodyOf, secret, writes, key };
}

eachStore("content encrypted with a message's secret", (kind) => {
  it("is decrypted if it is the customer's own edit, reaction or comment, even after a crash", async (t) => {
    const { gateway, token, path, anna, until, random, rows, listed, secret, writes, key } = await aShop(t, kind);
    const id = await writes(SHOP, ORDER);
    const [{ id: stored }] = await until('it came', async () => (await listed()).length === 1 && listed());
    const row = await rows.findOne({ _id: stored });
    assert.ok(row?.secret?.startsWith('gcm.'));
    const what = { key: key(id), author: anna.jid, maker: anna.jid, secret };
    const next = await gateway.crash();
    const api = next.as(token);
    const message = async () => (await api('GET', `${path}/messages/${stored}`)).body;
    await anna.writes(SHOP, sealedEdit(what, 'Three shirts', random), { edit: '1' });
    await next.until('it is edited', async () => (await message()).body === 'Three shirts');
    await anna.writes(SHOP, sealedReaction(what, '👍', random));
    await next.until('there is a reaction', async () => (await message()).reactions?.[0]?.emoji === '👍');
    await anna.writes(SHOP, sealedComment(what, 'In blue', random));
    const found = await next.until('the comment is there', async () => {
      const { messages } = (await api('GET', `${path}/messages?direction=inbound&type=text`)).body;
      return messages.find(({ kind }: { kind: string }) => kind === 'comment');
    });
    assert.equal(found.body, 'In blue');
  });

  it('changes nothing if another group member encrypted it', async (t) => {
    const { until, peer, anna, random, listed, bodyOf, secret, writes, key, gateway } = await aShop(t, kind);
    const eve = peer.contact(EVE);
    const { jid: group } = peer.group([SHOP, ANNA, EVE]);
    const id = await writes(group, ORDER);
    const [{ id: stored }] = await until('it came', async () => (await listed()).length === 1 && listed());
    for (const [author, maker] of [
      [anna.jid, eve.jid],
      [eve.jid, eve.jid],
      [anna.jid, anna.jid],
    ] as const)
      await eve.writes(group, sealedEdit({ key: key(id, group), author, maker, secret }, 'Send it to Eve', random), { edit: '1' });
    await gateway.clock.advance(60_000);
    assert.equal((await bodyOf(stored)).body, ORDER);
  });

  it('becomes an unsupported message if it cannot be decrypted', async (t) => {
    const { until, anna, random, rows, listed, secret, writes, key, gateway } = await aShop(t, kind);
    const id = await writes(SHOP, ORDER);
    const [{ id: stored }] = await until('it came', async () => (await listed()).length === 1 && listed());
    const other = await writes(SHOP, 'Another');
    const [{ id: otherStored }] = await until('it came', async () => (await listed()).length === 2 && listed());
    const theOther = await rows.findOne({ _id: otherStored });
    // Somebody with write access to the store swaps two secrets.
    await rows.updateOne({ _id: stored }, { $set: { secret: theOther?.secret ?? '' } });
    const what = { key: key(id), author: anna.jid, maker: anna.jid, secret };
    await anna.writes(SHOP, sealedEdit(what, 'Three shirts', random), { edit: '1' });
    const [unread] = await until('it is told', async () => (await listed()).length === 3 && listed());
    assert.equal(unread.kind, 'unsupported');
    await anna.deletes(SHOP, other);
    await until('it is deleted', async () => (await rows.findOne({ _id: otherStored }))?.status === 'deleted');
    assert.equal((await rows.findOne({ _id: otherStored }))?.secret, null);
    assert.ok((await rows.findOne({ _id: stored }))?.secret);
    const secrets = messageSecretsIn(gateway.store);
    assert.equal(await secrets.forget(gateway.clock.now() - SECRET_KEPT_MS, 10), 0);
    assert.ok((await secrets.forget(gateway.clock.now() + 1, 10)) > 0);
    assert.equal((await rows.findOne({ _id: stored }))?.secret, undefined);
  });

  it('can refer to messages sent by the business and to polls created on its phone', async (t) => {
    const { until, api, path, anna, random, peer, bodyOf } = await aShop(t, kind);
    const sent: string[] = [];
    for (const body of ['One', 'Two']) {
      const { id } = (await api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body })).body;
      await until('it is read', async () => (await bodyOf(id)).status === 'read');
      sent.push(id);
    }
    const { wa_message_id } = await bodyOf(sent[1] ?? '');
    const secret = anna.shown(wa_message_id).message.messageContextInfo?.messageSecret;
    assert.equal(secret?.length, 32);
    const key = { id: wa_message_id, remoteJid: anna.jid, fromMe: false };
    const shop = peer.phone(SHOP).jid;
    await anna.writes(SHOP, sealedReaction({ key, author: shop, maker: anna.jid, secret: secret ?? Buffer.alloc(0) }, '🎉', random));
    await until('there is a reaction', async () => (await bodyOf(sent[1] ?? '')).reactions?.[0]?.emoji === '🎉');
    const poll = await peer.phone(SHOP).asks(ANNA, 'When?', ['Mon', 'Tue']);
    const [asked] = await until('the poll of the phone is there', async () => {
      const { messages } = (await api('GET', `${path}/messages?type=poll`)).body;
      return messages.length > 0 && messages;
    });
    await anna.votes(SHOP, poll, ['Tue']);
    const counts = async () => {
      const { options } = (await api('GET', `${path}/messages/${asked.id}/votes`)).body;
      return options.map(({ name, count }: { name: string; count: number }) => `${name} ${count}`);
    };
    await until('the vote on it is counted', async () => (await counts()).includes('Tue 1'));
    assert.deepEqual(await counts(), ['Mon 0', 'Tue 1']);
  });
});
