import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { KEPT_FOR_EVER, type RetentionRow } from '../../store/privacy/retention.ts';
import { aReceiver, SECRET } from '../actors/services/webhooks/receiver.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const CHAT = `${ANNA}@s.whatsapp.net`;
const MINUTE = 60_000;
/** As many older messages as `OLDER_MESSAGES` says; the runs of the night load 50,000. */
const OLDER = Number(process.env['OLDER_MESSAGES'] ?? 260);

/** A shop that Anna wrote to, whose webhook hears of everything. */
async function aShop(t: Scope, kind: StoreKind) {
  const receiver = await aReceiver(t);
  const gateway = await aGateway(t, { kind, config: { egress_allow: [receiver.place] } });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const events = ['history.loaded', 'message.received', 'message.sent', 'message.read'];
  await acme.api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events });
  const rule = { name: 'All', trigger_type: 'contains', trigger_text: 'older', reply_body: 'Never' };
  assert.equal((await acme.api('POST', `${device.path}/auto-reply`, rule)).status, 201);
  const verbs = sandboxVerbs(gateway.sandbox);
  verbs.write(ANNA, { to: PHONE, body: 'Hello' });
  await gateway.until('it came', () => receiver.of('message.received').length === 1);
  return { gateway, receiver, acme, device, verbs, ...callsOf(gateway, acme.api, device.path) };
}

function callsOf(gateway: Gateway, api: Gateway['api'], path: string) {
  const chat = `${path}/chats/${ANNA}`;
  return {
    load: (body: object = {}) => gateway.during(api('POST', `${chat}/history`, body)),
    chat: async () => (await api('GET', chat)).body,
    log: async () => (await api('GET', `${chat}/messages?limit=200`)).body.messages,
  };
}

eachStore('older messages in a chat', (kind) => {
  it('are loaded from the phone on request, in order, without new-message events', async (t) => {
    const { gateway, receiver, verbs, load, chat, log } = await aShop(t, kind);
    const before = await chat();
    verbs.changeDevice(PHONE, { older_history: 70 });
    verbs.remember(PHONE, { messages: [{ chat: ANNA, from_me: true, body: 'Thank you', at: gateway.clock.now() - MINUTE / 2 }] });
    const two = await Promise.all([load(), load()]);
    assert.deepEqual(two.map(({ status }) => status).toSorted(), [202, 429], 'one at a time');
    const loaded = (count: number) => gateway.until('it is loaded', () => receiver.of('history.loaded')[count - 1]?.body.data);
    const first = await loaded(1);
    assert.deepEqual([first.chat_id, first.count, first.more, first.error], [CHAT, 50, true, null]);
    assert.equal((await load({ count: 50 })).status, 202);
    const second = await loaded(2);
    assert.deepEqual([second.count, second.more], [21, false]);
    await load();
    assert.deepEqual([(await loaded(3)).count, (await log()).length], [0, 72], 'none twice');

    const entries = (await log()).toReversed();
    assert.deepEqual(
      [entries[0].body, entries[0].historic, entries[70].body, entries[70].sent_by.kind],
      ['older 70', true, 'Thank you', 'phone'],
    );
    assert.deepEqual([entries[71].body, entries[71].historic], ['Hello', undefined]);
    const { unread_count, last_message, status } = await chat();
    assert.deepEqual([unread_count, last_message, status], [before.unread_count, 'Hello', before.status]);
    await gateway.clock.advance(5 * MINUTE);
    const others = receiver.received.filter(({ body }) => body.type !== 'history.loaded' && body.type !== 'webhook.test');
    assert.deepEqual([others.length, verbs.messages(ANNA).messages.length], [1, 0], 'no event of a message, and no reply');
    const asked = verbs.journal({ limit: 100_000 }).entries.filter(({ what }) => what === 'history-asked');
    assert.deepEqual(
      asked.map(({ to, reason }) => [to, reason]),
      [50, 50, 50].map((count) => [CHAT, `${count}`]),
    );
  });

  it('can be loaded repeatedly without causing unread messages, replies, events or duplicates', async (t) => {
    const { gateway, receiver, verbs, acme, device, load, chat } = await aShop(t, kind);
    const before = await chat();
    verbs.changeDevice(PHONE, { older_history: OLDER });
    const from = gateway.clock.now();
    const ends = () => receiver.of('history.loaded').map(({ body }) => body.data);
    for (let loads = 1; ends().at(-1)?.more !== false; loads += 1) {
      assert.equal((await load()).status, 202);
      await gateway.until('it is loaded', () => ends().length === loads);
    }
    const counts = ends().map(({ count }) => count);
    assert.deepEqual([counts.reduce((sum, count) => sum + count, 0), Math.max(...counts)], [OLDER, 50]);

    const seen = new Map<string, string>();
    for (let page = ''; ; ) {
      const { messages, next_before, next_before_id } = (await acme.api('GET', `${device.path}/messages?limit=100${page}`)).body;
      for (const { id, body } of messages) seen.set(id, body);
      if (next_before === null) break;
      page = `&before=${next_before}&before_id=${next_before_id}`;
    }
    assert.deepEqual([seen.size, new Set(seen.values()).size], [OLDER + 1, OLDER + 1], 'each of them once');
    const { unread_count, last_message, status } = await chat();
    assert.deepEqual([unread_count, last_message, status], [before.unread_count, 'Hello', before.status]);
    await gateway.clock.advance(5 * MINUTE);
    const others = receiver.received.filter(({ body }) => body.type !== 'history.loaded' && body.type !== 'webhook.test');
    assert.deepEqual([others.length, verbs.messages(ANNA).messages.length], [1, 0], 'no event of a message, and no reply');
    // A device asks its network once a second, and a few times more after a quiet time.
    const asked = verbs.journal({ limit: 100_000 }).entries.filter(({ what }) => what === 'history-asked');
    assert.equal(asked.length, counts.length);
    const last = Math.max(...asked.map(({ at }) => at));
    assert.ok(asked.length <= (last - from) / 1_000 + 10, `${asked.length} in ${last - from} ms`);
  });

  it('can be requested again after a timeout, and are stored once even if a response arrives late', async (t) => {
    const { gateway, receiver, verbs, load, log } = await aShop(t, kind);
    verbs.changeDevice(PHONE, { older_history: 10 });
    verbs.change(PHONE, { online: false });
    assert.equal((await load()).status, 202);
    const told = (count: number) =>
      gateway.until(
        'it is told',
        () => receiver.of('history.loaded').length >= count && receiver.of('history.loaded')[count - 1]?.body.data,
      );
    const { count, more, error } = await told(1);
    assert.deepEqual([count, more, error], [0, null, 'phone_offline']);
    assert.equal((await load()).status, 202);
    verbs.change(PHONE, { online: true });
    await told(3);
    const ends = receiver.of('history.loaded').map(({ body }) => [body.data.count, body.data.error]);
    assert.deepEqual([ends.length, (await log()).length], [3, 11]);
    assert.deepEqual(ends.slice(1), [
      [10, null],
      [10, null],
    ]);
  });

  it('publish their event once, even if the process crashes before publishing it', async (t) => {
    const { gateway, receiver, acme, device, verbs, load } = await aShop(t, kind);
    verbs.changeDevice(PHONE, { older_history: 40 });
    assert.equal((await load()).status, 202);
    const again = await gateway.crash();
    await again.until('it is loaded', () => receiver.of('history.loaded').length > 0);
    await again.clock.advance(5 * MINUTE);
    // A webhook that was being delivered during the crash may come twice, with the same id.
    const events = new Map(receiver.of('history.loaded').map(({ body }) => [body.id, [body.data.count, body.data.error]]));
    assert.deepEqual([...events.values()], [[40, null]]);
    const { log } = callsOf(again, again.as(acme.tokens.token), device.path);
    assert.equal((await log()).length, 41);
  });

  it('are dropped if they are older than the retention period', async (t) => {
    const { gateway, receiver, acme, verbs, load, log } = await aShop(t, kind);
    const kept = {
      _id: acme.id,
      days: { ...KEPT_FOR_EVER, messages: 30 },
      pending: null,
      last_run: null,
      due_at: Number.MAX_SAFE_INTEGER,
      rev: 1,
    };
    await gateway.store.collection<RetentionRow>({ name: 'privacy_retention', indexes: [] }).insertOne(kept);
    const day = 86_400_000;
    const at = (days: number) => ({ chat: ANNA, from_me: false, body: `${days} days ago`, at: gateway.clock.now() - days * day });
    verbs.remember(PHONE, { messages: [at(400), at(20)] });
    await load();
    const { count, more } = await gateway.until('it is loaded', () => receiver.of('history.loaded')[0]?.body.data);
    assert.deepEqual([count, more, (await log()).at(-1).body], [1, false, '20 days ago']);
  });

  it('are imported for the configured number of months when a phone is linked', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const verbs = sandboxVerbs(gateway.sandbox);
    const month = 31 * 86_400_000;
    const at = (months: number) => ({ chat: ANNA, from_me: false, body: `${months} months ago`, at: gateway.clock.now() - months * month });
    verbs.remember(PHONE, { messages: [at(5), at(2), at(1)] });
    const { id } = (await api('POST', '/v1/sessions', {})).body;
    const path = `/v1/sessions/${id}`;
    assert.deepEqual((await api('GET', path)).body.history, { months: null });
    assert.equal((await api('PATCH', path, { history: { months: 13 } })).status, 400);
    assert.deepEqual((await api('PATCH', path, { history: { months: 3 } })).body.history, { months: 3 });
    await api('POST', `${path}/connect`);
    verbs.scan(PHONE, { qr: await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr) });
    const { log, chat } = callsOf(gateway, api, path);
    await gateway.until('they came', async () => (await log())?.length === 2);
    assert.deepEqual(
      (await log()).map(({ body, historic }: { body: string; historic: boolean }) => [body, historic]),
      [
        ['1 months ago', true],
        ['2 months ago', true],
      ],
    );
    assert.equal((await chat()).unread_count, 0);
    assert.equal((await api('PATCH', path, { history: { months: 6 } })).status, 409);
  });

  it('cannot be requested offline, for more than ten chats at once, or in an empty chat', async (t) => {
    const { gateway, acme, device, verbs, load } = await aShop(t, kind);
    verbs.changeDevice(PHONE, { older_history: 10 });
    verbs.change(PHONE, { online: false });
    const people = Array.from({ length: 11 }, (_, i) => `62812000000${10 + i}`);
    for (const person of people) verbs.write(person, { to: PHONE, body: 'Hi' });
    await gateway.until('they came', async () => (await acme.api('GET', '/v1/inbox')).body.chats.length === 12);
    const statuses: number[] = [];
    for (const person of people) {
      await gateway.clock.advance(2_000);
      statuses.push((await gateway.during(acme.api('POST', `${device.path}/chats/${person}/history`))).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 202), 429]);
    await gateway.clock.advance(2 * MINUTE);
    assert.equal((await gateway.during(acme.api('POST', `${device.path}/chats/6281999999999/history`))).status, 404);
    await acme.api('POST', `${device.path}/disconnect`);
    assert.equal((await load()).body.code, 'NOT_CONNECTED');
    await acme.api('POST', `${device.path}/connect`);
    await gateway.until('it is back', async () => (await device.status()) === 'connected');
    assert.equal((await load()).status, 202, 'the request that was refused is not open');
  });
});
