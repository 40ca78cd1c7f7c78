import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs, type WriteBody } from '../../actors/network/sandbox/api.ts';
import { CONTENT_KINDS } from '../../store/messaging/content-kinds.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

async function aShop(t: Scope, kind: StoreKind) {
  const gateway = await aGateway(t, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const verbs = sandboxVerbs(gateway.sandbox);
  const listed = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound&limit=100`)).body.messages;
  let come = 0;
  return {
    gateway,
    api: acme.api,
    device,
    verbs,
    listed,
    events: async () => (await acme.api('GET', '/v1/events/pull?limit=200')).body.events,
    /** The full entry of what a customer writes. */
    async entryOf(body: Omit<WriteBody, 'to'>, isMessage = true) {
      const { id } = verbs.write(ANNA, { to: PHONE, ...body });
      come += isMessage ? 1 : 0;
      const [{ id: found }] = await gateway.until('it came', async () => {
        const messages = await listed();
        return messages.length === come && messages;
      });
      return { ...(await device.message(found)), netId: id };
    },
  };
}

eachStore('an incoming message of a special type', (kind) => {
  it('is described in the log, in events and in lists', async (t) => {
    const { entryOf, listed, events, gateway } = await aShop(t, kind);
    for (const each of CONTENT_KINDS) {
      const content = each === 'unsupported' ? { field: 137 } : { title: 'A title', price: 5 };
      const entry = await entryOf({ type: each, content, ...(each === 'unsupported' && { field: 137 }) });
      assert.deepEqual([entry.message_type, entry.kind, entry.status], ['text', each, 'delivered']);
      assert.ok(entry.body.length > 3, each);
      if (each !== 'view_once') assert.deepEqual(entry.content, content, each);
    }
    assert.deepEqual(
      (await listed()).map((one: { kind: string }) => one.kind),
      CONTENT_KINDS.toReversed(),
    );
    const told = await gateway.until('all events are there', async () => {
      const found = (await events()).filter(({ type }: { type: string }) => type === 'message.received');
      return found.length === CONTENT_KINDS.length && found;
    });
    assert.deepEqual(
      told.map(({ data }: { data: { kind: string } }) => data.kind),
      [...CONTENT_KINDS],
    );
    const { content, ...data } = told[0].data;
    assert.deepEqual(content, { title: 'A title', price: 5 });
    assert.deepEqual(
      [data.reply_to, data.mentions, data.place, data.ad, data.forwarded, data.ephemeral],
      [null, [], null, null, false, null],
    );
  });

  it('keeps the full file name of a document, even if the name contains a slash', async (t) => {
    const { entryOf, device } = await aShop(t, kind);
    const file = { size: 20, filename: 'Счёт № 5/7.pdf', content_type: 'application/pdf' };
    const { id } = await entryOf({ type: 'document', file });
    assert.equal((await device.message(id)).media.filename, 'Счёт № 5_7.pdf');
  });

  it('can contain locations, ads, contact cards, mentions, timers and quotes', async (t) => {
    const { entryOf, device, events, gateway } = await aShop(t, kind);
    const ours = await device.text(ANNA, 'Hi');
    const { wa_message_id } = await gateway.until('it has left', async () => {
      const message = await device.message(ours);
      return message.status === 'read' && message;
    });
    const place = { name: 'Cafe', address: 'Street 1', url: null };
    const located = await entryOf({ type: 'location', location: { lat: 1, lng: 2 }, place });
    assert.deepEqual([located.location, located.place], [{ lat: 1, lng: 2 }, place]);
    const contacts = [
      { name: 'Budi', phones: ['6281', '6282'] },
      { name: 'Sari', phones: ['6283'] },
    ];
    const cards = await entryOf({ type: 'contact', contacts });
    assert.deepEqual([cards.contact, cards.contacts], [{ name: 'Budi', phone: '6281' }, contacts]);
    const ad = { title: 'Sale', body: null, source_url: 'https://fb.me/1', source_id: '9', ctwa: 'C' };
    const about = { body: '@6281300000003', mentions: ['6281300000003'], forwarded: true, ephemeral: 604_800, ad, reply_to: wa_message_id };
    const text = await entryOf(about);
    const person = { phone: '6281300000003', lid: null, username: null, name: null };
    const expected = {
      kind: null,
      content: null,
      reply_to: ours,
      mentions: [person],
      place: null,
      ad,
      forwarded: true,
      ephemeral: 604_800,
    };
    const pick = (from: Record<string, unknown>) => Object.fromEntries(Object.keys(expected).map((name) => [name, from[name]]));
    assert.deepEqual(pick(text), expected);
    const { data } = (await events()).findLast(({ type }: { type: string }) => type === 'message.received');
    assert.deepEqual(pick(data), expected);
    const timed = await entryOf({ body: 'x', ephemeral: 1 });
    assert.equal(timed.ephemeral, null, 'only the network’s own timers are taken');
  });

  it('is counted once if it is an HD picture, and is never downloaded if it is view-once', async (t) => {
    const { entryOf, listed, gateway, device } = await aShop(t, kind);
    const file = { size: 1_000, seed: 1, content_type: 'image/jpeg' };
    const picture = await entryOf({ type: 'image', file, hd: true });
    assert.deepEqual([picture.message_type, picture.kind], ['image', null]);
    const once = await entryOf({ type: 'image', file, view_once: true, caption: 'secret' });
    assert.deepEqual([once.message_type, once.kind, once.content, once.media_r2_key], ['text', 'view_once', { media: 'image' }, null]);
    assert.ok(!JSON.stringify(once).includes('secret'));
    await gateway.clock.advance(60_000);
    assert.equal((await listed()).length, 2);
    assert.equal((await device.message(picture.id)).media.size, 1_000);
  });

  it('causes an opt-out or triggers rules only if the person typed the text', async (t) => {
    const { entryOf, api, device, gateway } = await aShop(t, kind);
    const rule = { name: 'All', trigger_type: 'contains', trigger_text: 'stop', reply_body: 'Sorry' };
    assert.equal((await api('POST', `${device.path}/auto-reply`, rule)).status, 201);
    const status = async () => (await api('GET', `/v1/consent/history/+${ANNA}`)).body.current?.status;
    for (const type of ['order', 'template', 'payment', 'comment', 'system']) await entryOf({ type, body: 'STOP' });
    await gateway.clock.advance(60_000);
    assert.equal(await status(), undefined);
    assert.deepEqual(gateway.sandbox.phone(ANNA).messages(), []);
    await entryOf({ type: 'button_answer', body: 'STOP' });
    await gateway.until('she has opted out', async () => (await status()) === 'opted_out');
  });

  it('is shown in every chat to which the owner sends it from the phone, even by broadcast list', async (t) => {
    const { verbs, api, device, gateway } = await aShop(t, kind);
    const people = [ANNA, '6281211110002'];
    verbs.act(PHONE, { act: 'write_own', to: ANNA, body: 'One' });
    verbs.act(PHONE, { act: 'write_own', to: 'list', recipients: people, body: 'All' });
    const messages = await gateway.until('all are there', async () => {
      const found = (await api('GET', `${device.path}/messages?direction=outbound`)).body.messages;
      return found.length === 3 && found;
    });
    const shown = messages.map((one: { chat_id: string; body: string }) => [one.chat_id.split('@')[0], one.body]).toSorted();
    assert.deepEqual(
      shown,
      [
        [ANNA, 'All'],
        [ANNA, 'One'],
        ['6281211110002', 'All'],
      ].toSorted(),
    );
    const { chats } = (await api('GET', `${device.path}/chats`)).body;
    assert.ok(chats.every((chat: { chat_id: string }) => !chat.chat_id.endsWith('broadcast')));
  });
});
