import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../../../runtime/ids.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { type EventPage, eventOrderIn, type Position } from '../../../../store/events/event-order.ts';
import { type EventRow, eventsIn, UNPLACED } from '../../../../store/events/events.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { eachStore } from '../../../support/stores.ts';
import { follow } from './listener.ts';
import { aLiveFixture } from './live-fixture.ts';

const TENANT = '01J9ZK3V5T8Q4W2N6R7X0Y1ABC';
const DAY_MS = 86_400_000;
const MANY = 1_250;

const eventOf = (n: number, at: number): EventRow => ({
  _id: `evt_${newId(at)}`,
  tenant_id: TENANT,
  session_id: null,
  type: 'message.sent',
  row: `message ${n}`,
  occurred_at: at,
  data: {},
  fanned: true,
  batch: UNPLACED,
  expires_at: 1e15,
});

const reading = (after: Position | null, limit = 50) => ({ after, limit, sessionIds: null, now: 1 });
const placeOf = ({ batch, _id: id }: EventRow): Position => ({ batch, id });

eachStore('polled events', (kind) => {
  it('are returned in pages, with the same bodies as streams and webhooks', async (t) => {
    const { gateway, tenant, listen, write } = await aLiveFixture(t, kind);
    const stream = await listen();
    for (let n = 0; n < 5; n += 1) write(`message ${n}`);
    await gateway.until('all are received', () => stream.events.length === 5);

    const first = (await tenant.api('GET', '/v1/events/pull?limit=4')).body;
    const second = (await tenant.api('GET', `/v1/events/pull?after=${first.next}`)).body;
    const received = [...first.events, ...second.events].filter(({ type }) => type === 'message.received');
    assert.equal(first.events.length, 4);
    assert.deepEqual(received.sort(byId), stream.events.map(({ data }) => data).sort(byId));

    const rest = (await tenant.api('GET', `/v1/events/pull?after=${second.next}`)).body;
    assert.deepEqual(rest, { events: [], next: second.next });
    write('one more');
    await gateway.until('it is received', () => stream.events.length === 6);
    const { events } = (await tenant.api('GET', `/v1/events/pull?after=${rest.next}`)).body;
    assert.deepEqual(events, [stream.events.at(-1)?.data]);
  });

  it('are available for one day', async (t) => {
    const store = await kind.fresh(t);
    const [events, order] = [eventsIn(store), eventOrderIn(store)];
    await store.prepare();
    await events.add([{ ...eventOf(1, 1_000), expires_at: 1_000 + DAY_MS }]);
    const at = (now: number) => order.read(TENANT, { ...reading(null), now });
    assert.equal((await at(999 + DAY_MS)).rows.length, 1);
    assert.equal((await at(1_000 + DAY_MS)).rows.length, 0);
  });

  it('are limited to one device if the key is limited to that device', async (t) => {
    const { tenant, device, key } = await aLiveFixture(t, kind);
    const second = await tenant.linked('6281100000002');
    const { api } = await key({ session_ids: [second.id] });
    const { events } = (await api('GET', '/v1/events/pull')).body;
    assert.deepEqual([...new Set(events.map(({ session_id }: { session_id: string }) => session_id))], [second.id]);
    const all = (await tenant.api('GET', '/v1/events/pull')).body.events;
    assert.ok(all.some(({ session_id }: { session_id: string }) => session_id === device.id));
    assert.equal((await tenant.api('GET', '/v1/events/pull?after=yesterday')).status, 400);
  });

  it('include the event of a quiet device after many events of another device', async (t) => {
    const fixture = await aLiveFixture(t, kind);
    const { gateway, tenant, device, key } = fixture;
    const rare = await tenant.linked('6281100000002');
    const { api } = await key({ session_ids: [rare.id] });
    const { next } = (await api('GET', '/v1/events/pull?limit=200')).body;
    const events = eventsIn(gateway.store);
    const now = gateway.clock.now();
    const ofDevice = (session_id: string, n: number): EventRow => ({ ...eventOf(n, now + n), tenant_id: tenant.id, session_id });
    await events.add(Array.from({ length: MANY }, (_, n) => ofDevice(device.id, n)));
    await events.add([ofDevice(rare.id, MANY)]);
    const first = (await api('GET', `/v1/events/pull?after=${next}`)).body;
    assert.deepEqual(
      first.events.map(({ session_id }: { session_id: string }) => session_id),
      [rare.id],
    );
    assert.deepEqual((await api('GET', `/v1/events/pull?after=${first.next}`)).body, { events: [], next: first.next });

    const reader = await follow(gateway.node.url, (await key({ session_ids: [rare.id] })).key, 'evt_01JZX5ZB4T8QKX3N9V7C2M6D1E');
    await gateway.until('a stream brings it, too', () => reader.events.some(({ data }) => data.id === first.events[0].id));
  });

  it('are returned in steps of limited size for a quiet device', async (t) => {
    const store = await kind.fresh(t);
    const [events, order] = [eventsIn(store), eventOrderIn(store)];
    await store.prepare();
    const rows = Array.from({ length: 2 * MANY }, (_, n) => ({ ...eventOf(n, 1_000 + n), session_id: n % 700 === 699 ? 'rare' : 'busy' }));
    await events.add(rows);
    await order.end(TENANT);
    const steps: EventPage[] = [];
    for (let after: Position | null = null, isMore = true; isMore; { place: after, isMore } = steps.at(-1)!)
      steps.push(await order.read(TENANT, { ...reading(after), sessionIds: ['rare'] }));
    assert.deepEqual(
      steps.flatMap((step) => step.rows.map(({ _id }) => _id)),
      rows.filter(({ session_id }) => session_id === 'rare').map(({ _id }) => _id),
    );
    assert.ok(steps.length > 1);
    assert.ok(steps.every(({ rows: found }) => found.length <= 2));
  });

  it('include events that are recorded late, even if they are older than events already polled', async (t) => {
    const store = await kind.fresh(t);
    const [events, order] = [eventsIn(store), eventOrderIn(store)];
    await store.prepare();
    const early = eventOf(1, 1_000);
    await events.add([eventOf(2, 2_000)]);
    const [read] = (await order.read(TENANT, reading(null))).rows;
    await events.add([early]);
    const late = (await order.read(TENANT, reading(placeOf(read!)))).rows;
    assert.deepEqual(
      late.map(({ _id }) => _id),
      [early._id],
    );
  });

  for (const [name, asked] of [
    ['events', 'find'],
    ['event_heads', 'findOne'],
  ] as const)
    it(`include events that another reader is ordering at the same time (${name})`, async (t) => {
      const store = await kind.fresh(t);
      const [events, others] = [eventsIn(store), eventOrderIn(store)];
      await store.prepare();
      await events.add([eventOf(1, 1_000)]);
      const after = await others.end(TENANT);
      const next = eventOf(2, 2_000);
      await events.add([next]);
      const order = eventOrderIn(interruptedStore(store, { name, reading: asked }, () => others.read(TENANT, reading(after))));
      const { rows } = await order.read(TENANT, reading(after));
      assert.deepEqual(
        rows.map(({ _id }) => _id),
        [next._id],
      );
    });

  it('have the same order with every page size', async (t) => {
    const store = await kind.fresh(t);
    const [events, order] = [eventsIn(store), eventOrderIn(store)];
    await store.prepare();
    const [early, late] = [eventOf(1, 1_000), eventOf(2, 2_000)];
    for (const event of [late, early]) {
      await events.add([event]);
      await order.read(TENANT, reading(null));
    }
    const [first] = (await order.read(TENANT, reading(null, 1))).rows;
    const [second] = (await order.read(TENANT, reading(placeOf(first!), 1))).rows;
    assert.deepEqual([first?._id, second?._id], [late._id, early._id]);
  });

  it('include events that were ordered by a process that then crashed', async (t) => {
    const store = await kind.fresh(t);
    const [events, order] = [eventsIn(store), eventOrderIn(store)];
    const heads = store.collection<{ _id: string; batch: number; ids: string[] }>({ name: 'event_heads', indexes: [] });
    await store.prepare();
    const [decided, next] = [eventOf(1, 1_000), eventOf(2, 2_000)];
    await events.add([decided, next]);
    await heads.insertOne({ _id: TENANT, batch: 1, ids: [decided._id] });
    const read = (await order.read(TENANT, reading(null))).rows;
    assert.deepEqual(
      read.map(({ _id, batch }) => [_id, batch]),
      [
        [decided._id, 1],
        [next._id, 2],
      ],
    );
  });

  it('reach each of many concurrent readers exactly once, in whatever order they are recorded', async (t) => {
    const store = await kind.fresh(t);
    const events = eventsIn(store);
    const orders = [eventOrderIn(store), eventOrderIn(store), eventOrderIn(store)];
    await store.prepare();
    const rows = shuffled(Array.from({ length: 300 }, (_, n) => eventOf(n, 1_000 + n)));
    let isOver = false;
    const readAll = async (order: (typeof orders)[number]): Promise<string[]> => {
      const seen: string[] = [];
      let after: Position | null = null;
      for (let isLast = false; ; isLast = isOver) {
        const { rows, place, isMore }: EventPage = await order.read(TENANT, reading(after, 7));
        seen.push(...rows.map(({ _id }) => _id));
        after = place;
        if (isLast && !isMore) return seen;
        // Whoever reads without a pause leaves a store of one process no turn to write.
        await new Promise(setImmediate);
      }
    };
    const readers = orders.map(readAll);
    for (let from = 0; from < rows.length; from += 10)
      await Promise.all([events.add(rows.slice(from, from + 5)), events.add(rows.slice(from + 5, from + 10))]);
    isOver = true;
    const wanted = rows.map(({ _id }) => _id).sort();
    for (const seen of await Promise.all(readers)) assert.deepEqual(seen.sort(), wanted);
  });
});

/** Recorded in another order than the ids were made in. */
function shuffled<T>(items: readonly T[]): readonly T[] {
  const random = seededRandom(7);
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
