import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { pause, systemClock } from '../../runtime/clock.ts';
import { at } from '../../runtime/invariant.ts';
import type { RunningBridge } from '../../scripts/bridge/chatwoot/bridge.ts';
import type { Bridge } from '../../scripts/bridge/chatwoot/context.ts';
import { forget } from '../../scripts/bridge/chatwoot/forget.ts';
import { expectKey, gatewayAt } from '../../scripts/bridge/chatwoot/gateway.ts';
import { PNG } from '../actors/services/media/files.ts';
import { bridged } from '../support/chatwoot/bridged.ts';
import { ANNA, OTHER_PROCESS_MS, PHONE } from '../support/gateway.ts';

const BUDI = '6281211110002';
const CICI = '6281211110003';

describe('the Chatwoot bridge', () => {
  const ends: (() => unknown)[] = [];
  let world: Awaited<ReturnType<typeof bridged>>;
  let bridge: RunningBridge;
  /** Network ids of what Anna wrote. */
  let hello: string;
  /** Called before each request of the bridge to the gateway, and after it. */
  let onCall: (when: 'before' | 'after', call: string) => Promise<unknown> | undefined = () => undefined;
  let parts: Bridge;

  before(async () => {
    world = await bridged({ after: (end) => void ends.push(end) });
    const plain = world.parts();
    const call: Bridge['gateway']['call'] = async (id, input, options) => {
      await onCall('before', id);
      return plain.gateway.call(id, input, options).finally(() => onCall('after', id));
    };
    parts = { ...plain, gateway: { ...plain.gateway, call } };
    bridge = await world.start(parts);
  });
  after(async () => {
    await world.gateway.during(bridge.stop());
    for (const end of ends.toReversed()) await end();
  });

  /** Waits until the bridge has just read all conversations, which it does once a minute. */
  const untilRead = async (): Promise<void> => {
    const { gateway, chatwoot } = world;
    const reads = () => chatwoot.asked.filter((one) => one === 'GET /conversations').length;
    const before = reads();
    await gateway.until('the bridge reads all conversations', () => reads() > before);
    await gateway.clock.advance(3_000);
  };

  it('rejects login tokens, and keys that can manage the business or belong to another device', async () => {
    const { gateway, tenant, device, key } = world;
    const keyWith = async (fields: object) => (await tenant.api('POST', '/v1/api-keys', { name: 'Other', ...fields })).body.key;
    const other = (await tenant.api('POST', '/v1/sessions', {})).body.id;
    const tried = (bearer: string) => gateway.during(expectKey(gatewayAt(gateway.node.url, bearer, device.id), device.id));
    await tried(key);
    await assert.rejects(tried(tenant.tokens.token), /not the token of a login/);
    await assert.rejects(
      tried(await keyWith({ scopes: ['read', 'send', 'manage'], session_ids: [device.id] })),
      /scopes read and send only/,
    );
    await assert.rejects(tried(await keyWith({ scopes: ['read', 'send'], session_ids: [other] })), /cannot use the device/);
  });

  const lastFrom = (content: string) => world.seen().find((message) => message.content === content);

  it("shows a customer's messages to agents in one conversation with one contact", async () => {
    const { gateway, chatwoot, write, seen } = world;
    hello = write('Hello, are you open?').netId;
    await gateway.until('an agent sees it', () => seen().length > 0);
    write('Anybody there?');
    await gateway.until('an agent sees both', () => seen().length > 1);
    assert.deepEqual(
      seen().map(({ content, type }) => [content, type]),
      [
        ['Hello, are you open?', 'incoming'],
        ['Anybody there?', 'incoming'],
      ],
    );
    const [contact, ...others] = chatwoot.books.contacts;
    assert.deepEqual([contact?.phone, others.length, chatwoot.books.conversations.length], [`+${ANNA}`, 0, 1]);
  });

  it("sends an agent's reply to the customer, and reports that it was read", async () => {
    const { gateway, chatwoot, shown } = world;
    const { id } = at(chatwoot.books.conversations, 0);
    const question = lastFrom('Hello, are you open?');
    const answer = chatwoot.write(id, 'Until **nine**.\\\nSee you!', { inReplyTo: question!.id });
    await gateway.until('it is read', () => answer.status === 'read');
    const [got] = shown();
    assert.deepEqual([got?.content, got?.quotes], [{ type: 'text', body: 'Until *nine*.\nSee you!' }, hello]);
  });

  it('keeps private notes in Chatwoot, and treats a message without `private` as private', async () => {
    const { gateway, chatwoot, shown } = world;
    const { id } = at(chatwoot.books.conversations, 0);
    await untilRead();
    const note = chatwoot.write(id, 'She is difficult', { isPrivate: true });
    const silent = chatwoot.asked.length;
    assert.equal(await gateway.during(chatwoot.deliver('message_created', note, { private: undefined })), 200);
    await gateway.clock.advance(5_000);
    assert.deepEqual(chatwoot.asked.slice(silent), []);
    const answer = chatwoot.write(id, 'Anything else?');
    await gateway.until('it is read', () => answer.status === 'read');
    assert.deepEqual(
      shown().map(({ content }) => 'body' in content && content.body),
      ['Until *nine*.\nSee you!', 'Anything else?'],
    );
  });

  it('transfers files in both directions', async () => {
    const { gateway, chatwoot, seen, shown } = world;
    sandboxVerbs(gateway.sandbox).write(ANNA, {
      to: PHONE,
      type: 'image',
      caption: 'This one',
      file: { base64: PNG.toString('base64'), filename: 'a.png' },
    });
    const { files, conversation } = await gateway.until('an agent sees it', () => lastFrom('This one'));
    assert.deepEqual(
      files.map(({ type, bytes }) => [type, bytes.length > 0]),
      [['image/png', true]],
    );
    const pdf = { bytes: Buffer.from('%PDF-1.4\n%%EOF\n'), type: 'application/pdf', name: 'price list.pdf' };
    const count = shown().length;
    const answer = chatwoot.write(conversation, 'Two files', { files: [{ bytes: PNG, type: 'image/png', name: 'b.png' }, pdf] });
    // A child process prepares the picture, so real time has to pass, too.
    const arrived = async (): Promise<void> => {
      while (shown().length < count + 2) await pause(systemClock, 20);
    };
    await gateway.during(arrived(), OTHER_PROCESS_MS);
    await gateway.until('both are read', () => answer.status === 'read');
    const got = shown().slice(count);
    assert.deepEqual(
      got.map(({ content }) => content.type),
      ['image', 'document'],
    );
    assert.equal(seen().filter(({ content }) => content === 'Two files').length, 1);
  });

  it("shows customers' edits, deletions and reactions as notes, and deletes messages that agents delete", async () => {
    const { gateway, chatwoot, notes, shown } = world;
    const target = at(
      gateway.sandbox
        .phone(ANNA)
        .messages(500)
        .filter(({ from }) => from === PHONE),
      0,
    ).netId;
    const anna = gateway.sandbox.phone(ANNA);
    anna.do({ to: PHONE, target: hello, act: { kind: 'edited', body: 'Hello, are you closed?' } });
    anna.do({ to: PHONE, target, act: { kind: 'reaction', emoji: '👍' } });
    await gateway.until('agents see both', () => notes().length >= 3);
    anna.do({ to: PHONE, target: hello, act: { kind: 'deleted' } });
    await gateway.until('agents see all', () => notes().length >= 4);
    const texts = notes().map(({ content }) => content);
    assert.ok(texts.some((text) => text.endsWith('Hello, are you closed?')) && texts.some((text) => text.includes('👍')), texts.join());
    const answer = chatwoot.write(at(chatwoot.books.conversations, 0).id, 'A mistake');
    await gateway.until('it is read', () => answer.status === 'read');
    const sent = at(shown(), -1).netId;
    await chatwoot.erase(answer);
    await gateway.until('it is gone from her phone', () => gateway.sandbox.phone(ANNA).receipts(sent).deleted);
    assert.equal(notes().length, 4);
  });

  it('adds labels from the phone, and keeps labels set by agents', async () => {
    const { gateway, chatwoot, tenant, device } = world;
    const conversation = at(chatwoot.books.conversations, 0);
    conversation.labels = ['vip'];
    const { id } = (await gateway.during(tenant.api('POST', `${device.path}/labels`, { name: 'New customer', color: 3 }))).body;
    const labelled = `${device.path}/labels/${id}/chats/${ANNA}@s.whatsapp.net`;
    assert.equal((await gateway.during(tenant.api('PUT', labelled, {}))).status, 200);
    await gateway.until('it is there', () => conversation.labels.length > 1);
    assert.deepEqual(conversation.labels, ['vip', 'new-customer']);
    assert.equal((await gateway.during(tenant.api('DELETE', labelled))).status, 200);
    await gateway.until('it is gone', () => conversation.labels.length === 1);
    assert.deepEqual(conversation.labels, ['vip']);
  });

  it('waits if Chatwoot accepts no more messages in a conversation', async () => {
    const { gateway, chatwoot, write } = world;
    const conversation = at(chatwoot.books.conversations, 0);
    const last = at(conversation.messages, -1);
    for (let nth = 0; nth < 200; nth += 1) chatwoot.flood(conversation);
    write('One too many');
    await gateway.clock.advance(10_000);
    assert.equal(at(conversation.messages, -1).id, last.id);
    await gateway.until('agents see it', () => lastFrom('One too many'));
  });

  it("shows messages sent from the owner's phone, and does not send them again", async () => {
    const { gateway, shown } = world;
    const count = shown().length;
    gateway.sandbox.phone(PHONE).act({ act: 'write_own', to: ANNA, body: 'From my pocket' });
    const own = await gateway.until('agents see it', () => lastFrom('From my pocket'));
    assert.equal(own.type, 'outgoing');
    await gateway.clock.advance(90_000);
    assert.equal(shown().length, count + 1);
  });

  it('sends each reply once, whether its webhook arrives late, twice or never', async () => {
    const { gateway, chatwoot, shown } = world;
    const { id } = at(chatwoot.books.conversations, 0);
    const count = shown().length;
    for (const delivery of ['twice', { lateMs: 30_000 }, 'never'] as const) {
      chatwoot.delivery = () => delivery;
      const answer = chatwoot.write(id, `Webhook: ${JSON.stringify(delivery)}`);
      await gateway.until('it is read', () => answer.status === 'read');
    }
    chatwoot.delivery = () => 'once';
    await gateway.clock.advance(90_000);
    assert.equal(shown().length, count + 3);
  });

  it('shows agents why a reply failed', async () => {
    const { gateway, chatwoot } = world;
    const nobody = chatwoot.open('Nobody', '+999');
    const answer = chatwoot.write(nobody, 'Hello?');
    await gateway.until('it failed', () => answer.status === 'failed' && answer.error);
    assert.match(answer.error ?? '', /number/i);
  });

  it("sends replies to the person in the conversation, even if agents change the contact's number", async () => {
    const { gateway, chatwoot } = world;
    const cici = chatwoot.open('Cici', `+${CICI}`);
    const first = chatwoot.write(cici, 'Your order is ready.');
    await gateway.until('she reads it', () => first.status === 'read');
    at(chatwoot.books.contacts, -1).phone = `+${BUDI}`;
    const second = chatwoot.write(cici, 'It is at the desk.');
    await gateway.until('she reads it', () => second.status === 'read');
    assert.deepEqual([gateway.sandbox.phone(CICI).messages().length, gateway.sandbox.phone(BUDI).messages().length], [2, 0]);
  });

  it('reports a reply as read even while it is checking for erased people', async () => {
    const { gateway, chatwoot } = world;
    const noChat = Promise.withResolvers<void>();
    const accepted = Promise.withResolvers<void>();
    let forgotten: Promise<void> | null = null;
    onCall = (when, call) => {
      if (when === 'before' && call === 'sendMessage') {
        forgotten ??= forget(parts);
        return noChat.promise;
      }
      if (when === 'before' || call !== 'getChat' || forgotten === null) return undefined;
      noChat.resolve();
      return accepted.promise;
    };
    const answer = chatwoot.write(chatwoot.open('Dian', '+6281211110004'), 'Welcome!');
    await gateway.until('the gateway accepts it', () => parts.state.answers(answer.id)[0]?.message);
    onCall = () => undefined;
    accepted.resolve();
    await gateway.during(Promise.resolve(forgotten));
    await gateway.until('it is read', () => answer.status === 'read');
  });

  it('rejects webhooks that have a wrong path or signature or come from another inbox', async () => {
    const { gateway, chatwoot } = world;
    const url = new URL(chatwoot.books.webhookUrl ?? '');
    const post = async (to: string, headers = {}) => (await fetch(to, { method: 'POST', body: '{}', headers })).status;
    assert.equal(await post(`${url.origin}/`), 404);
    assert.equal(await post(url.href), 401);
    const stale = { 'x-chatwoot-timestamp': '1', 'x-chatwoot-signature': `sha256=${'0'.repeat(64)}` };
    assert.equal(await post(url.href, stale), 401);
    const answer = at(world.seen(), 0);
    await untilRead();
    const asked = chatwoot.asked.length;
    assert.equal(await gateway.during(chatwoot.deliver('message_created', answer, { inbox: { id: 8 } })), 200);
    assert.equal(chatwoot.asked.length, asked);
  });

  it("removes an erased person's data, and stores no message texts in its state file", async () => {
    const { gateway, tenant, file, write } = world;
    const holds = (text: string): boolean => readFileSync(file).includes(text);
    assert.ok(holds(ANNA));
    assert.ok(!holds('Anybody there') && !holds('nine'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { status } = await tenant.api('POST', '/v1/privacy/erasures', { phone: `+${ANNA}`, confirm: true });
    assert.equal(status, 202);
    await gateway.until('nothing names her', () => !holds(ANNA));
    const count = world.shown().length;
    write('It is me again');
    await gateway.until('an agent sees it', () => lastFrom('It is me again'));
    await gateway.clock.advance(90_000);
    assert.equal(world.shown().length, count, 'former answers are not sent again');
  });
});
