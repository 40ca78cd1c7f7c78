import assert from 'node:assert/strict';
import { it } from 'node:test';
import { QueueRoom } from '../../../../actors/services/messaging/queue-room.ts';

const DEVICE = { _id: 'd1', tenant_id: 't1' };
const LIMIT = 80;

/** Nodes over one queue, whose rows are stored a turn after they were let in. */
function over(nodes: number) {
  let stored = 0;
  let counts = 0;
  const queued = async (): Promise<number> => {
    counts += 1;
    return stored;
  };
  const rooms = Array.from({ length: nodes }, () => new QueueRoom({ queued }, LIMIT));
  const send = async (node: number, now: number): Promise<boolean> => {
    if (!(await rooms[node]!.enter(DEVICE, now))) return false;
    await new Promise(setImmediate);
    stored += 1;
    rooms[node]!.left(DEVICE._id);
    return true;
  };
  return {
    send,
    atOnce: async (count: number, now: number) =>
      (await Promise.all(Array.from({ length: count }, (_, nth) => send(nth % nodes, now)))).filter(Boolean).length,
    stored: () => stored,
    counts: () => counts,
    drain: () => {
      stored = 0;
    },
  };
}

it('the message queue accepts messages exactly up to its limit on one node, even if they are concurrent', async () => {
  const one = over(1);
  assert.equal(await one.atOnce(3 * LIMIT, 0), LIMIT);
  assert.equal(one.stored(), LIMIT);
  assert.equal(await one.send(0, 999), false, 'full, as counted a moment ago');
  one.drain();
  assert.equal(await one.send(0, 1_000), true);
});

it('the length of the queue is read from the store only a few times, not for every message', async () => {
  const one = over(1);
  for (let nth = 0; nth < LIMIT / 2; nth += 1) await one.send(0, 0);
  assert.ok(one.counts() <= 8, `${one.counts()} counts`);
});

it('the limit of the queue is exceeded by at most an eighth per additional node', async () => {
  for (const nodes of [2, 3]) {
    const some = over(nodes);
    await some.atOnce(4 * LIMIT, 0);
    assert.ok(some.stored() >= LIMIT && some.stored() <= LIMIT + (nodes - 1) * (LIMIT / 8), `${some.stored()} on ${nodes} nodes`);
  }
});

it('the length of the queue is read again after a while, because another node may have filled the queue', async () => {
  const two = over(2);
  await two.send(1, 0);
  await two.atOnce(2 * LIMIT, 0);
  for (let nth = 0; nth < LIMIT; nth += 1) await two.send(0, 0);
  const before = two.stored();
  assert.equal(await two.send(1, 60_000), false);
  assert.equal(two.stored(), before);
});
