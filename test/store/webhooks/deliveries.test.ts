import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDelivery } from '../../../actors/services/webhooks/new-delivery.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import {
  type Attempted,
  type DeliveryAttempt,
  type DeliveryRow,
  type DeliverySummary,
  deliveriesIn,
} from '../../../store/webhooks/deliveries.ts';
import { aDirectory, eachStore, embedded } from '../../support/stores.ts';
import { ranDuring } from '../engines/visited-rows.ts';

const WEBHOOK = { _id: 'hook', tenant_id: 'acme' };
const OWNER = { tenantId: WEBHOOK.tenant_id, epoch: 1 };
const ROOM = { rows: 200, bytes: 1_000_000 };
const MANY = 3_000;
const FAILED_EVERY = 500;
const BEGUN_AT = 1_700_000_000_000;

const aDelivery = (nth: number): DeliveryRow => ({
  ...newDelivery(
    WEBHOOK,
    { event_id: `event ${nth}`, event: 'message.sent', body: '{}' },
    { isAsked: false, epoch: 1, now: BEGUN_AT + nth },
  ),
  ...(nth % FAILED_EVERY === 0 ? { status: 'failed', error: 'HTTP 500' } : { status: 'delivered' }),
});

const summary = ({ attempts: _attempts, body: _body, ...rest }: DeliveryRow): DeliverySummary => rest;

it('deliveries that can be replayed are found without reading other deliveries (embedded)', async (t) => {
  const path = `${aDirectory(t)}/store.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const deliveries = deliveriesIn(store);
  await store.prepare();
  const rows = Array.from({ length: MANY }, (_, nth) => aDelivery(nth));
  await deliveries.add(rows);
  const failed = rows.filter(({ error }) => error !== null);
  for (const passed of [0, 1, failed.length - 1]) {
    const since = passed === 0 ? 0 : failed[passed]!.created_at;
    const found: DeliverySummary[] = [];
    const ran = await ranDuring(path, async () => {
      found.push(...(await deliveries.unhappy(WEBHOOK.tenant_id, WEBHOOK._id, since, '', 100)));
    });
    assert.deepEqual(found, failed.slice(passed).map(summary));
    assert.ok(ran.length > 0 && ran.every(({ visited }) => visited <= failed.length - passed));
  }
  assert.deepEqual(await deliveries.unhappy(WEBHOOK.tenant_id, WEBHOOK._id, 0, failed[1]!._id, 2), failed.slice(2, 4).map(summary));
});

it('failed and waiting deliveries of a webhook are found without reading other deliveries (embedded)', async (t) => {
  const path = `${aDirectory(t)}/store.db`;
  const store = openEmbedded({ path });
  t.after(() => store.close());
  const deliveries = deliveriesIn(store);
  await store.prepare();
  const rows = Array.from({ length: MANY }, (_, nth) => aDelivery(nth));
  const waiting = rows.slice(0, 3).map((row): DeliveryRow => ({ ...row, status: 'pending', error: null }));
  const failed = rows.slice(3).filter(({ status }) => status === 'failed');
  await deliveries.add([...rows.slice(3), ...waiting]);
  const { tenant_id, _id } = WEBHOOK;
  const page = { limit: 50, before: null, beforeId: null };
  const calls = {
    list: async () =>
      assert.deepEqual(
        await Array.fromAsync(deliveries.list(tenant_id, { webhook_id: _id, status: 'failed' }, page)),
        failed.toReversed().map(summary),
      ),
    take: async () => assert.equal((await deliveries.take(OWNER, _id, { ...ROOM, except: [] }, BEGUN_AT + MANY)).rows.length, 3),
    backlog: async () => assert.equal(await deliveries.backlog(100), 3),
    abandon: () => deliveries.abandon(tenant_id, _id, 'webhook_removed'),
  };
  for (const [name, call] of Object.entries(calls)) {
    const ran = await ranDuring(path, call);
    for (const { sql, plan, visited } of ran) {
      assert.ok(visited <= failed.length, `${name} looked at ${visited} rows: ${plan.join('; ')}: ${sql}`);
      assert.ok(!plan.some((step) => step.includes('TEMP B-TREE')), `${name}: ${plan.join('; ')}: ${sql}`);
    }
  }
  assert.equal(await deliveries.backlog(100), 0);
});

eachStore("a webhook's waiting deliveries", (kind) => {
  it('are read up to a limit on their number or size, without those in progress', async (t) => {
    const store = await kind.fresh(t);
    const deliveries = deliveriesIn(store);
    await store.prepare();
    const waiting = (nth: number, body: string): DeliveryRow => ({ ...aDelivery(nth), status: 'pending', error: null, body });
    const [long, short] = ['x'.repeat(64 * 1_024), '{}'];
    const rows = Array.from({ length: 300 }, (_, nth) => waiting(nth, nth < 40 ? long : short));
    await deliveries.add(rows);
    const take = (except: readonly DeliveryRow[], now = BEGUN_AT + MANY) =>
      deliveries.take(OWNER, WEBHOOK._id, { ...ROOM, except: except.map(({ _id }) => _id) }, now);

    const first = await take([]);
    assert.deepEqual([first.rows, first.more], [rows.slice(0, first.rows.length), true]);
    assert.ok(first.rows.length <= 32, `${first.rows.length} long ones`);
    const behind = await take(rows.slice(0, 39));
    assert.deepEqual([behind.rows, behind.more], [rows.slice(39, 39 + behind.rows.length), true]);
    assert.ok(behind.rows.length > 39 && behind.rows.length <= ROOM.rows);
    const last = await take(rows.slice(0, 100));
    assert.deepEqual([last.rows, last.more, last.nextAt], [rows.slice(100), true, null]);
    const later = await take(rows.slice(0, 100), BEGUN_AT + 150);
    assert.deepEqual([later.rows, later.more, later.nextAt], [rows.slice(100, 151), false, BEGUN_AT + 151]);
  });

  it('are read without long attempt results, even if a previous owner made the attempts', async (t) => {
    const store = await kind.fresh(t);
    const deliveries = deliveriesIn(store);
    await store.prepare();
    const waiting: DeliveryRow = { ...aDelivery(1), status: 'pending', error: null };
    const attempt: DeliveryAttempt = { at: BEGUN_AT, response_status: 500, error: 'HTTP 500', duration_ms: 1, body: 'x'.repeat(500) };
    await deliveries.add([{ ...waiting, attempts: [attempt] }]);
    for (const epoch of [OWNER.epoch, OWNER.epoch + 1]) {
      const { rows } = await deliveries.take({ ...OWNER, epoch }, WEBHOOK._id, { ...ROOM, except: [] }, BEGUN_AT + MANY);
      assert.deepEqual(rows, [{ ...waiting, epoch }]);
    }
    assert.deepEqual((await deliveries.find(WEBHOOK.tenant_id, waiting._id))?.attempts, [attempt]);
  });
});

it("a previous owner's deliveries are taken over only a few at a time in each event-loop tick (embedded)", async (t) => {
  const store = await embedded.fresh(t);
  const deliveries = deliveriesIn(store);
  const rows = store.collection<DeliveryRow>({ name: 'deliveries', indexes: [] });
  await store.prepare();
  await deliveries.add(Array.from({ length: 200 }, (_, nth): DeliveryRow => ({ ...aDelivery(nth), status: 'pending', error: null })));
  const epoch = OWNER.epoch + 1;
  const ofEpoch = { tenant_id: OWNER.tenantId, webhook_id: WEBHOOK._id, status: 'pending', epoch };
  const counts: number[] = [];
  let isOver = false;
  const taking = deliveries.take({ ...OWNER, epoch }, WEBHOOK._id, { ...ROOM, except: [] }, BEGUN_AT + MANY).finally(() => {
    isOver = true;
  });
  for (; !isOver; await new Promise(setImmediate)) counts.push(await rows.countDocuments(ofEpoch));
  assert.equal((await taking).rows.length, 200);
  counts.push(await rows.countDocuments(ofEpoch));
  assert.equal(counts.at(-1), 200);
  const most = Math.max(...counts.map((count, nth) => count - (counts[nth - 1] ?? 0)));
  assert.ok(most <= 25, `${most} in one turn`);
});

eachStore('deliveries with many attempts', (kind) => {
  it('are listed and replayed without reading the attempt results that are not shown', async (t) => {
    const store = await kind.fresh(t);
    const deliveries = deliveriesIn(store);
    await store.prepare();
    const attempt: DeliveryAttempt = { at: BEGUN_AT, response_status: 500, error: 'HTTP 500', duration_ms: 1, body: 'x' };
    const attempts = [attempt, attempt];
    const rows = Array.from({ length: 60 }, (_, nth) => ({ ...aDelivery(nth * FAILED_EVERY), attempts }));
    const bare = aDelivery(1);
    await deliveries.add([...rows, bare]);
    const { tenant_id, _id } = WEBHOOK;
    for (const limit of [1, 25, 50, 60, 200]) {
      const page = { limit, before: null, beforeId: null };
      assert.deepEqual(
        await Array.fromAsync(deliveries.list(tenant_id, { status: 'failed' }, page)),
        rows.toReversed().slice(0, limit).map(summary),
      );
    }
    assert.deepEqual(await deliveries.unhappy(tenant_id, _id, 0, '', 100), rows.map(summary));
    const ids = [...rows, bare].map((row) => row._id);
    assert.deepEqual(await deliveries.attempts(tenant_id, ids), new Map(rows.map((row) => [row._id, attempts])));
    assert.deepEqual(await deliveries.attempts('another', ids), new Map());
  });
});

eachStore("an attempt result that is stored again after the store's response was lost", (kind) => {
  it('is recorded once, and does not prevent a later attempt', async (t) => {
    const store = await kind.fresh(t);
    const deliveries = deliveriesIn(store);
    await store.prepare();
    const waiting: DeliveryRow = { ...aDelivery(1), status: 'pending', error: null };
    await deliveries.add([waiting]);
    const result = { response_status: 500, error: 'status_500', duration_ms: 1 };
    const attempt: DeliveryAttempt = { ...result, at: BEGUN_AT, body: 'x' };
    const failure: Attempted = { ...result, status: 'pending', attempt: 1, next_attempt_at: BEGUN_AT + MANY };
    const stored = async () => {
      const row = await deliveries.find(WEBHOOK.tenant_id, waiting._id);
      assert.ok(row);
      return row;
    };
    const due = async (now: number) => (await deliveries.take(OWNER, WEBHOOK._id, { ...ROOM, except: [] }, now)).rows.length;
    assert.equal(await deliveries.attempted(OWNER, waiting, failure, attempt), failure.next_attempt_at);
    const failed = await stored();
    assert.ok((await deliveries.attempted(OWNER, waiting, failure, attempt)) !== null, 'it is looked for');
    assert.deepEqual(await stored(), failed);
    assert.deepEqual([failed.attempts, failed.next_attempt_at, await due(BEGUN_AT)], [[attempt], failure.next_attempt_at, 0]);

    const success: Attempted = { ...failure, status: 'delivered', attempt: 2, next_attempt_at: null };
    assert.equal(await deliveries.attempted(OWNER, failed, success, attempt), null);
    assert.ok(await deliveries.again(await stored(), BEGUN_AT + 1, waiting.expires_at));
    const asked = await stored();
    assert.ok((await deliveries.attempted(OWNER, failed, success, attempt)) !== null, 'it is looked for');
    assert.deepEqual([await stored(), await due(BEGUN_AT + 1)], [asked, 1]);
  });
});
