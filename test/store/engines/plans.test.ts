import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blankContact } from '../../../actors/services/contacts/contacts.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import { BEGUN_AT, DEVICE, EVERY_MS, plant, TENANT, THE_CHAT } from '../../../scripts/bench/log/plant.ts';
import { auditedStore } from '../../../store/audit/audited-store.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { type MessageRow, type Messages, messagesIn, type Owner } from '../../../store/messaging/messages.ts';
import { type SendQueue, sendQueueIn } from '../../../store/sending/send-queue.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { aDirectory } from '../../support/stores.ts';
import { ranDuring } from './visited-rows.ts';

/** One device's log. The store asks for fewer on this thread, where they can be counted. */
const ROWS = 19_000;
const NOW = BEGUN_AT + ROWS * EVERY_MS;
const OWNER: Owner = { tenantId: TENANT, sessionId: DEVICE, epoch: 2 };
const PAGE = { limit: 51, before: null, beforeId: null };
/** Waiting, so that queries of the queue find something. */
const WAITING = 20;

type Calls<T> = { readonly [Method in keyof T]: (repository: T, some: readonly MessageRow[]) => Promise<unknown> };

const COST = { category: 'utility', type: 'regular', billable: true, country: 'ID', amount: 1, currency: 'USD' };

/** Every method has to be here: the compiler asks for it. */
const OF_MESSAGES: Calls<Messages> = {
  accept: (messages) => messages.accept(row('accepted')),
  find: (messages, [one]) => messages.find(TENANT, DEVICE, one!._id),
  findAnywhere: (messages, [one]) => messages.findAnywhere(TENANT, one!._id),
  known: (messages, [one]) => messages.known(DEVICE, { netId: one!.net_id, chats: [one!.chat_id], by: ['62812@s.whatsapp.net'] }),
  postedAs: (messages) => messages.postedAs(DEVICE, '120363000000000001@newsletter', '101'),
  list: async (messages) => {
    for (const filter of [
      {},
      { status: 'failed' },
      { type: 'image' },
      { chat_id: THE_CHAT },
      { status: 'queued' },
      { direction: 'inbound' },
    ] as const)
      await Array.fromAsync(messages.list(TENANT, DEVICE, filter, PAGE));
  },
  oldest: (messages) => messages.oldest(TENANT, DEVICE, THE_CHAT),
  waiting: (messages) => Array.fromAsync(messages.waiting(TENANT, DEVICE, null, 200)),
  queued: (messages) => messages.queued(TENANT, DEVICE, 10_000),
  backlog: (messages) => messages.backlog(TENANT, DEVICE),
  sentSince: (messages) => messages.sentSince(TENANT, DEVICE, NOW - 60_000),
  unread: (messages) => messages.unread(DEVICE, THE_CHAT, ''),
  cancelWaiting: (messages) => messages.cancelWaiting(TENANT, DEVICE, NOW, 100),
  failOnWire: (messages) => messages.failOnWire(OWNER, 100),
  onTheWire: (messages) => messages.onTheWire(DEVICE, NOW),
  prove: (messages, [one]) => messages.prove(one!.session_id, one!._id, 1, 'wamid.A', NOW),
  noteCost: (messages, [one]) => messages.noteCost(one!.session_id, { id: null, netId: one!.net_id }, COST),
  noteHeld: (messages, [one]) => messages.noteHeld(one!.session_id, one!._id),
  giveUp: (messages, [one]) => messages.giveUp(one!),
  giveUpForgotten: (messages) => messages.giveUpForgotten(NOW, '', 500),
  cancel: (messages, [one]) => messages.cancel(TENANT, DEVICE, one!._id),
  cancelMarketing: (messages) => messages.cancelMarketing(TENANT, [THE_CHAT]),
  expire: (messages) => messages.expire(NOW, 500),
  withdraw: (messages, [one]) => messages.withdraw(one!),
  refuseUnpaid: (messages, [one]) => messages.refuseUnpaid(one!),
  erase: (messages, [one]) => messages.erase(TENANT, DEVICE, one!._id, NOW),
  claimRefund: (messages, some) =>
    messages.claimRefund(
      some.map(({ _id }) => _id),
      '2026-01',
      'r1',
    ),
  openRefunds: (messages) => messages.openRefunds(NOW, 500),
  endRefund: (messages) => messages.endRefund('r1'),
  isRunOver: (messages) => messages.isRunOver('run1'),
  runOutcome: (messages) => messages.runOutcome('run1'),
  requeue: (messages, [one]) => messages.requeue(one!, '2026-01'),
  claim: (messages, some) => messages.claim(OWNER, some, NOW),
  retake: (messages) => messages.retake(OWNER, 100),
  notePreview: (messages, [one]) => messages.notePreview(OWNER, one!.net_id, { url: 'https://a.id', failed: true }),
  markFailed: (messages, [one]) => messages.markFailed(OWNER, one!.net_id, 'timed_out'),
  holdBack: (messages, [one]) => messages.holdBack(OWNER, one!.net_id, { codes: [503], tries: 1, since: NOW, until: NOW + 5_000 }),
  receive: (messages) => messages.receive({ ...row('received'), direction: 'inbound' }),
  withOutbox: (messages) => Array.fromAsync(messages.withOutbox(OWNER, 100)),
  devicesWithOutbox: (messages) => messages.devicesWithOutbox('', 20),
  outboxProcessed: (messages, some) => messages.outboxProcessed(some),
  mark: (messages, some) =>
    messages.mark(OWNER, [
      { status: 'sent', ids: some.map(({ _id }) => _id), at: NOW },
      { status: 'read', netIds: some.map(({ net_id }) => net_id), at: NOW },
    ]),
  moves: (messages, some) => messages.moves(OWNER, [{ status: 'sent', ids: some.map(({ _id }) => _id), at: NOW }]),
  moved: (messages, [one]) => messages.moved(OWNER, { before: one!, after: { ...one!, rev: 2 } }),
  ours: (messages, [one]) => messages.ours(DEVICE, one!.net_id),
  namesakes: (messages, [one]) => messages.namesakes(DEVICE, { netId: one!.net_id }),
  inChat: (messages, [one]) => messages.inChat(DEVICE, [one!.net_id], [one!.chat_id]),
  slotOf: (messages, [one]) => messages.slotOf(one!),
};

const OF_QUEUE: Calls<SendQueue> = {
  window: (queue) => queue.window(OWNER, 2, 100, NOW),
  otherChat: (queue, [one]) => queue.otherChat(OWNER, one!, new Set([THE_CHAT]), NOW),
  strangers: (queue) => queue.strangers(OWNER, [THE_CHAT, '6280000000000@s.whatsapp.net']),
  setAside: (queue, some) => queue.setAside(some.map(({ _id }) => _id)),
  readmit: (queue) => queue.readmit(OWNER, THE_CHAT),
};

/** A few pages, or a chat. */
const MAX_VISITED = 210;

it('a long log is read without sorting or reading unrelated rows (embedded)', async (t) => {
  const path = `${aDirectory(t)}/log.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const messages = await plant(store, ROWS);
  const queue = sendQueueIn(store);
  const calls = [
    ...Object.entries(OF_MESSAGES).map(([name, call]) => ({ name, call: (some: readonly MessageRow[]) => call(messages, some) })),
    ...Object.entries(OF_QUEUE).map(([name, call]) => ({
      name: `queue: ${name}`,
      call: (some: readonly MessageRow[]) => call(queue, some),
    })),
  ];
  for (const { name, call } of calls) {
    const some = waiting(name);
    for (const one of some) await messages.accept(one);
    for (const { sql, plan, visited } of await ranDuring(path, () => call(some))) {
      assert.ok(!plan.some((step) => /^SCAN (?!\(subquery)|TEMP B-TREE/.test(step)), `${name}: ${plan.join('; ')}: ${sql}`);
      assert.ok(visited <= MAX_VISITED, `${name} looked at ${visited} rows: ${plan.join('; ')}: ${sql}`);
    }
    await messages.cancelWaiting(TENANT, DEVICE, NOW, WAITING);
  }
});

/** Of the log in one turn of the event loop, and what tells where that ends. */
const MAX_STEP = 2_002;

it('a long log is searched in bounded steps if no index fits the conditions (embedded)', async (t) => {
  const path = `${aDirectory(t)}/log.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const messages = await plant(store, ROWS);
  for (const filter of [
    { direction: 'inbound', status: 'read' },
    { direction: 'outbound', type: 'contact', until: NOW - 1 },
    { status: 'sent', since: BEGUN_AT + 1 },
    { direction: 'inbound', status: 'failed', type: 'image' },
  ] as const) {
    const ran = await ranDuring(path, async () => assert.deepEqual(await Array.fromAsync(messages.list(TENANT, DEVICE, filter, PAGE)), []));
    for (const { sql, visited } of ran) assert.ok(visited <= MAX_STEP, `looked at ${visited} rows: ${sql}`);
  }
});

it('a long chat is searched in bounded steps if no index fits the conditions (embedded)', async (t) => {
  const path = `${aDirectory(t)}/log.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const messages = messagesIn(store);
  await store.prepare();
  const inChat = (nth: number): MessageRow => ({ ...row(`c${nth}`), direction: 'inbound', status: 'read', created_at: NOW - nth });
  const said = Array.from({ length: 2 * MAX_STEP }, (_, nth) => inChat(nth));
  await Promise.all(said.map((one) => messages.accept(one)));
  await messages.accept({ ...row('oldest'), status: 'failed', message_type: 'image', created_at: NOW - said.length });
  await messages.accept({ ...row('elsewhere'), status: 'failed', message_type: 'image', chat_id: '120363000000000001@g.us' });
  for (const filter of [{ direction: 'outbound' }, { status: 'failed' }, { type: 'image', until: NOW - 1 }] as const) {
    const ran = await ranDuring(path, async () => {
      const found = await Array.fromAsync(messages.list(TENANT, DEVICE, { chat_id: THE_CHAT, ...filter }, PAGE));
      assert.deepEqual(
        found.map(({ _id }) => _id),
        ['oldest'],
      );
    });
    for (const { sql, visited } of ran) assert.ok(visited <= MAX_STEP, `looked at ${visited} rows: ${sql}`);
  }
});

it('waiting messages are searched in bounded steps if no index fits the conditions (embedded)', async (t) => {
  const path = `${aDirectory(t)}/log.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const messages = messagesIn(store);
  await store.prepare();
  const waiting = Array.from({ length: 2 * MAX_STEP }, (_, nth) => ({ ...row(`w${nth}`), created_at: NOW - nth }));
  await Promise.all(waiting.map((one) => messages.accept(one)));
  const image = { ...row('image'), message_type: 'image', created_at: NOW - waiting.length } as const;
  await messages.accept(image);
  await messages.accept({ ...image, _id: 'on the wire', net_id: 'on the wire', status: 'sending', created_at: NOW - MAX_STEP });
  const ran = await ranDuring(path, async () => {
    assert.deepEqual(await Array.fromAsync(messages.list(TENANT, DEVICE, { status: 'queued', direction: 'inbound' }, PAGE)), []);
    const images = await Array.fromAsync(messages.list(TENANT, DEVICE, { status: 'queued', type: 'image' }, PAGE));
    assert.deepEqual(
      images.map(({ _id }) => _id),
      ['on the wire', 'image'],
    );
  });
  for (const { sql, visited } of ran) assert.ok(visited <= MAX_STEP, `looked at ${visited} rows: ${sql}`);
});

/** Of each that waits: an id and a chat. */
const MAX_READ = 200;

it("a device's next recipient is found without reading all messages that wait in one chat (embedded)", async (t) => {
  const path = `${aDirectory(t)}/log.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const messages = messagesIn(store);
  const queue = sendQueueIn(store);
  await store.prepare();
  const others = { ...row('z'), chat_id: '6281200000009@s.whatsapp.net' };
  for (const one of [...waiting('long'), others]) await messages.accept({ ...one, body: safeText('x'.repeat(64 * 1_024)) });
  const ran = await ranDuring(path, async () => {
    const other = await queue.otherChat(OWNER, row('long-0'), new Set([THE_CHAT]), NOW);
    assert.equal(other?._id, others._id);
  });
  const among = ran.filter(({ visited }) => visited > 1);
  assert.ok(among.length > 0);
  for (const { sql, visited, read } of among) assert.ok(read <= visited * MAX_READ, `read ${read} characters of ${visited} rows: ${sql}`);
});

it('a contact whose number is taken is rejected without reading other contacts (embedded)', async (t) => {
  const path = `${aDirectory(t)}/contacts.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const contacts = contactsIn(auditedStore(store, () => Promise.resolve()));
  await store.prepare();
  await contacts.addMany(Array.from({ length: 2 * MAX_VISITED }, (_, nth) => blankContact(TENANT, `62812000${1_000 + nth}`, NOW)));
  const ran = await ranDuring(path, async () => assert.equal(await contacts.add(blankContact(TENANT, '628120001001', NOW)), false));
  for (const { sql, plan, visited } of ran) assert.ok(visited <= 2, `looked at ${visited} rows: ${plan.join('; ')}: ${sql}`);
});

const row = (id: string): MessageRow =>
  aMessageRow({ _id: id, tenant_id: TENANT, session_id: DEVICE, created_at: NOW, chat_id: THE_CHAT, marketing: true });

const waiting = (name: string): readonly MessageRow[] => Array.from({ length: WAITING }, (_, nth) => row(`${name}-${nth}`));
