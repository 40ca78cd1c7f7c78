import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '../../../../runtime/ids.ts';
import { eventOrderIn } from '../../../../store/events/event-order.ts';
import { type EventRow, eventsIn, UNPLACED } from '../../../../store/events/events.ts';
import type { Collection, Doc, Filter, Store } from '../../../../store/port.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { follow } from './listener.ts';
import { aLiveFixture } from './live-fixture.ts';

const TENANT = '01J9ZK3V5T8Q4W2N6R7X0Y1ABC';
const DAY = 1_000;
const STREAMS = 10;
const TURNS = 20;

/** Maximum number of events without a position found by a search, and of concurrent searches. */
interface Placing {
  found: number;
  atOnce: number;
}

eachStore('the first stream of a tenant that never polled events', (kind) => {
  it('skips a day of old events, which are ordered in batches and once for all streams', async (t) => {
    const placing: Placing = { found: 0, atOnce: 0 };
    const fixture = await aLiveFixture(t, watched(kind, placing));
    const { gateway, tenant, write } = fixture;
    await eventsIn(gateway.store).add(aDay(tenant.id, gateway.clock.now()));
    const { key } = await fixture.key();
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => follow(gateway.node.url, key)));
    write('new');
    await gateway.until('all receive', () => streams.every(({ events }) => events.length > 0));
    assert.deepEqual(new Set(streams.map(({ events: [first] }) => first?.data.data.body)), new Set(['new']));
    assert.ok(placing.found > 0 && placing.found <= 200, `${placing.found} in one step`);
    // One opens, and two read on.
    assert.ok(placing.atOnce <= 3, `${placing.atOnce} at once`);
  });
});

eachStore('a stream of new events', (kind) => {
  it('starts after the events that another reader is ordering at the same moment', async (t) => {
    const store = await kind.fresh(t);
    const [events, other] = [eventsIn(store), eventOrderIn(store)];
    let isFirst = true;
    const order = eventOrderIn(
      interrupted(store, async (find) => {
        if (isFirst) await other.end(TENANT);
        isFirst = false;
        return find();
      }),
    );
    await store.prepare();
    await events.add(aDay(TENANT, 1_000).slice(0, 3));
    const end = await order.end(TENANT);
    assert.equal(isFirst, false);
    assert.deepEqual((await order.read(TENANT, { after: end, sessionIds: null, limit: 50, now: 1_001 })).rows, []);
  });
});

const aDay = (tenant_id: string, at: number): readonly EventRow[] =>
  Array.from({ length: DAY }, (_, n) => ({
    _id: `evt_${newId(at)}`,
    tenant_id,
    session_id: null,
    type: 'message.sent',
    row: `message ${n}`,
    occurred_at: at,
    data: {},
    fanned: true,
    batch: UNPLACED,
    expires_at: at + 86_400_000,
  }));

/** A store that takes its time to find events without a place. */
function watched(kind: StoreKind, placing: Placing): StoreKind {
  let under = 0;
  return {
    name: kind.name,
    fresh: async (scope: Scope) =>
      interrupted(await kind.fresh(scope), async (find) => {
        under += 1;
        placing.atOnce = Math.max(placing.atOnce, under);
        for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
        const found = await find();
        placing.found = Math.max(placing.found, found.length);
        under -= 1;
        return found;
      }),
  };
}

type Finding = <T>(find: () => Promise<T[]>) => Promise<T[]>;

/** A store that finds events without a place by way of `finding`. */
function interrupted(store: Store, finding: Finding): Store {
  return {
    name: store.name,
    prepare: () => store.prepare(),
    ping: () => store.ping(),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
    collection: (spec) => (spec.name === 'events' ? ofEvents(store.collection(spec), finding) : store.collection(spec)),
  };
}

const ofEvents = <T extends Doc>(events: Collection<T>, finding: Finding): Collection<T> =>
  new Proxy(events, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result = member.apply(target, args);
        const isPlacing = name === 'find' && (args[0] as Filter)['batch'] === UNPLACED;
        return isPlacing ? { toArray: () => finding(() => result.toArray()) } : result;
      };
    },
  });
