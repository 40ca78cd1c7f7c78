import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDelivery } from '../../../actors/services/webhooks/new-delivery.ts';
import { recipientsIn } from '../../../store/campaigns/recipients.ts';
import { labelsIn } from '../../../store/contacts/labels.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { eventsIn, UNPLACED } from '../../../store/events/events.ts';
import { messagesIn } from '../../../store/messaging/messages.ts';
import type { Collection, Doc } from '../../../store/port.ts';
import { ownRows, sweepTraces } from '../../../store/privacy/traces.ts';
import { deliveriesIn } from '../../../store/webhooks/deliveries.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { aDirectory, eachStore } from '../../support/stores.ts';
import { ranDuring } from '../engines/visited-rows.ts';

const DORA = '6281244440004';
const WHO = {
  tenantId: 'T',
  phone: DORA,
  numbers: [DORA],
  subjects: [DORA],
  needles: new Set([DORA]),
  devices: ['D'],
  removed: [],
  rotators: [],
  campaigns: [],
  links: [],
  counted: [],
  until: 10,
};

type Row = Doc & Readonly<Record<string, unknown>>;

eachStore('the erasure of a message', (kind) => {
  it('skips a message that changes in the meantime, and requests another pass', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const rows = store.collection<Doc>({ name: 'messages', indexes: [] });
    await store.prepare();
    const failed = aMessageRow({
      _id: 'm',
      tenant_id: 'T',
      session_id: 'D',
      chat_id: `${DORA}@s.whatsapp.net`,
      status: 'failed',
      created_at: 1,
    });
    await messages.accept(failed);
    // Its sender tries it again.
    const requeue = async () => (await messages.requeue(failed, '2026-01')) !== null;
    assert.deepEqual(await sweepTraces(rows, 'messages', WHO, requeue), { removed: 0, isBusy: true });
    assert.equal((await messages.find('T', 'D', 'm'))?.status, 'queued');
  });

  it("waits until the message's quota has been refunded", async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const rows = store.collection<Doc>({ name: 'messages', indexes: [] });
    await store.prepare();
    const chat_id = `${DORA}@s.whatsapp.net`;
    await messages.accept(
      aMessageRow({ _id: 'm', tenant_id: 'T', session_id: 'D', chat_id, status: 'cancelled', created_at: 1, refund: 'r' }),
    );
    for (const removed of [[], ['D']])
      assert.deepEqual(await sweepTraces(rows, 'messages', { ...WHO, removed }, async () => true), { removed: 0, isBusy: true });
    await messages.endRefund('r');
    assert.deepEqual(await sweepTraces(rows, 'messages', WHO, async () => true), { removed: 1, isBusy: false });
  });
});

eachStore('the erasure of an event', (kind) => {
  it('waits until all deliveries of the event have been created', async (t) => {
    const store = await kind.fresh(t);
    const events = eventsIn(store);
    const rows = store.collection<Doc>({ name: 'events', indexes: [] });
    await store.prepare();
    const about = { session_id: 'D', type: 'call.received', row: 'call 1', occurred_at: 1, data: { chat_id: `${DORA}@s.whatsapp.net` } };
    await events.add([{ _id: 'evt_1', tenant_id: 'T', ...about, fanned: false, batch: UNPLACED, expires_at: 1e15 }]);
    assert.deepEqual(await sweepTraces(rows, 'events', WHO), { removed: 0, isBusy: true });
    await events.fanned('T', ['evt_1']);
    assert.deepEqual(await sweepTraces(rows, 'events', WHO), { removed: 1, isBusy: false });
  });
});

eachStore('the erasure of a delivery', (kind) => {
  it('removes a delivery that was created later if its event happened before the erasure', async (t) => {
    const store = await kind.fresh(t);
    const deliveries = deliveriesIn(store);
    const rows = store.collection<Doc>({ name: 'deliveries', indexes: [] });
    await store.prepare();
    const made = (nth: number, about: object) => {
      const body = JSON.stringify({ id: `evt_${nth}`, type: 'call.received', session_id: 'D', data: { phone: DORA }, ...about });
      const what = { event_id: `evt_${nth}`, event: 'call.received', body };
      return newDelivery({ _id: 'W', tenant_id: 'T' }, what, { isAsked: false, epoch: 1, now: WHO.until + 5 });
    };
    const isoOf = (at: number): string => new Date(at).toISOString();
    await deliveries.add([
      ...[made(1, { occurred_at: WHO.until }), made(2, { occurred_at: WHO.until + 1 })],
      // In the forms of WAHA and Evolution.
      ...[made(3, { timestamp: WHO.until }), made(4, { timestamp: WHO.until + 1 })],
      ...[made(5, { date_time: isoOf(WHO.until) }), made(6, { date_time: isoOf(WHO.until + 1) })],
    ]);
    assert.deepEqual(await sweepTraces(rows, 'deliveries', WHO), { removed: 3, isBusy: false });
    const left = await Array.fromAsync(deliveries.list('T', {}, { limit: 10, before: null, beforeId: null }));
    assert.deepEqual(left.map(({ event_id }) => event_id).sort(), ['evt_2', 'evt_4', 'evt_6']);
  });
});

eachStore('the erasure of part of a shared record', (kind) => {
  it('preserves concurrent changes, and also erases the number from them', async (t) => {
    const store = await kind.fresh(t);
    labelsIn(store);
    const segments = store.collection<Doc>({ name: 'segments', indexes: [] });
    await store.prepare();
    const rule = (value: string) => ({ field: 'phone', value });
    const row: Row = { _id: 's', tenant_id: 'T', name: 'n', rules: { all: [rule(DORA)] }, created_at: 1 };
    await segments.insertOne(row);
    let changes = 0;
    // Somebody else changes the same field between the reading and each of the first two writings.
    const raced = new Proxy(segments, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'updateOne') return member.bind(target);
        return async (...args: Parameters<Collection<Doc>['updateOne']>) => {
          changes += 1;
          if (changes <= 2)
            await segments.updateOne({ _id: 's' }, { $set: { rules: { all: [rule(DORA), rule(`change ${changes} of ${DORA}`)] } } });
          return segments.updateOne(...args);
        };
      },
    });
    assert.deepEqual(await sweepTraces(raced, 'segments', WHO), { removed: 0, isBusy: false });
    const left: Row = { _id: '', ...(await segments.findOne({ _id: 's' })) };
    assert.deepEqual(left['rules'], { all: [rule('erased'), rule('change 2 of erased')] });
    assert.equal(changes, 3);
  });
});

it('the campaigns that sent to a recipient are found in a few short queries', async (t) => {
  const path = `${aDirectory(t)}/store.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  recipientsIn(store);
  const rows = store.collection<Row>({ name: 'campaign_recipients', indexes: [] });
  await store.prepare();
  const campaigns = Array.from({ length: 300 }, (_, nth) => `c${nth}`);
  const got = (blast_id: string, phone: string): Row => ({ _id: `${blast_id} ${phone}`, blast_id, phone, tenant_id: 'T', created_at: 1 });
  const others = Array.from({ length: 20 }, (_, nth) => String(6281200000000 + nth));
  await rows.insertMany(campaigns.flatMap((id) => [DORA, ...others].map((phone) => got(id, phone))));
  const who = { ...WHO, campaigns };
  const ran = await ranDuring(path, async () => {
    const found: Row[] = [];
    for await (const row of ownRows(rows, 'campaign_recipients', who)) found.push(row);
    assert.equal(found.length, campaigns.length);
  });
  // By the number, and by both readings of an ambiguous one.
  assert.ok(ran.length <= 4, `${ran.length} questions`);
  const visited = ran.reduce((sum, one) => sum + one.visited, 0);
  assert.ok(visited <= campaigns.length, `${visited} rows looked at`);
  assert.deepEqual(await sweepTraces(rows, 'campaign_recipients', who), { removed: campaigns.length, isBusy: false });
});
