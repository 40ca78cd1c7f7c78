import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { LogFollower } from '../../../../actors/services/live/log-follower.ts';
import type { Viewer } from '../../../../actors/services/live/visibility.ts';
import { events as area } from '../../../../http/areas/events/rows.ts';
import { newId } from '../../../../runtime/ids.ts';
import { type EventOrder, eventOrderIn } from '../../../../store/events/event-order.ts';
import { type EventRow, eventsIn, UNPLACED } from '../../../../store/events/events.ts';
import { embedded } from '../../../support/stores.ts';

const TENANT = 'acme';
const MANY = 1_000;
const DEWI = { tenantId: TENANT, role: 'agent', agentId: 'dewi', family: 'f', key: null, expiresAt: 1 } as const;
const VIEWER: Viewer = {
  ...DEWI,
  keyId: null,
  keyHash: null,
  manages: false,
  tokenExpiresAt: 1,
  sessionIds: null,
  events: null,
  address: '127.0.0.1',
};

/** Every chat is somebody else's. */
const assigneesOf = async (): Promise<readonly string[]> => ['budi'];

const eventOf = (n: number): EventRow => ({
  _id: `evt_${newId(1_000 + n)}`,
  tenant_id: TENANT,
  session_id: 's',
  type: 'message.received',
  row: `message ${n}`,
  occurred_at: 1_000 + n,
  data: { chat_id: `chat ${n}` },
  fanned: true,
  batch: UNPLACED,
  expires_at: 1e15,
});

/** A log of events of which an agent sees none. */
async function aLongLog(t: TestContext): Promise<EventOrder> {
  const store = await embedded.fresh(t);
  const order = eventOrderIn(store);
  await store.prepare();
  await eventsIn(store).add(Array.from({ length: MANY }, (_, n) => eventOf(n)));
  await order.end(TENANT);
  return order;
}

/** Turns that the event loop has until `work` is done. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let [turns, isDone] = [0, false];
  const done = work.finally(() => {
    isDone = true;
  });
  for (; !isDone; turns += 1) await new Promise(setImmediate);
  await done;
  return turns;
}

describe('reading a long event log in which an agent may see nothing (embedded)', () => {
  it('yields to the event loop after each page of a poll', async (t) => {
    const eventOrder = await aLongLog(t);
    const pull = area.rows.find(({ id }) => id === 'pullEvents')!;
    const call = { caller: DEWI, query: { limit: 50 }, now: 1 };
    const services = { eventOrder, assigneesOf };
    const turns = await turnsUntil(Promise.resolve(Reflect.apply(pull.run, null, [services, call])));
    assert.ok(turns >= 20, `20 pages in ${turns} turns`);
  });

  it('yields to the event loop after each page of a stream that follows the log', async (t) => {
    const eventOrder = await aLongLog(t);
    let pages = 0;
    const turns = await turnsUntil(
      new Promise<void>((resolve, reject) => {
        const read: EventOrder['read'] = (...asked) => {
          pages += 1;
          if (pages === 20) resolve();
          return eventOrder.read(...asked);
        };
        new LogFollower({ eventOrder: { read }, assigneesOf, now: () => 1, failed: reject }, VIEWER, new PassThrough(), null).wake();
      }),
    );
    assert.ok(turns >= 20, `20 pages in ${turns} turns`);
  });
});
