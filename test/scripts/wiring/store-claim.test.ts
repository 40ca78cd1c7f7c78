import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { type Clock, pause, systemClock } from '../../../runtime/clock.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { readConfig } from '../../../scripts/wiring/config.ts';
import { startNode } from '../../../scripts/wiring/node.ts';
import { CLUSTER, claimStore } from '../../../scripts/wiring/store-claim.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { busyStore } from '../../support/busy-store.ts';
import { aCuttableStore } from '../../support/cuttable-store.ts';
import { until } from '../../support/gateway.ts';
import { aDatabase, aDirectory, eachStore, type Scope, type StoreKind } from '../../support/stores.ts';

const SECOND = 1_000;
const RUN = resolve(import.meta.dirname, '../../../scripts/commands/run.js');

/** Nodes over one store, that claim it. */
async function aStore(scope: Scope, kind: StoreKind) {
  const { store, isBusy } = busyStore(await kind.fresh(scope));
  /** Like every real one, a clock that shows a later time whenever it is looked at. */
  const passing = (clock: Clock): Clock => {
    let looks = 0;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + ++looks / 1_000,
      after: (ms, run) => clock.after(ms, run),
    };
  };
  const aClock = (): VirtualClock => {
    const made = new VirtualClock();
    made.waitWhile(isBusy, 'the store');
    return made;
  };
  const clock = aClock();
  const node = (owner: string, time = clock) => {
    const claim = { release: async () => {}, isLost: false, failed: '', isStarted: false, events: [] as unknown[] };
    const note = (what: Partial<typeof claim>): void => void Object.assign(claim, what);
    const log = { info: ({ event }: { readonly event?: unknown }) => void claim.events.push(event) };
    claimStore(store, { owner, clock: passing(time), log, lost: () => note({ isLost: true }) }).then(
      (release) => note({ release, isStarted: true }),
      ({ message }: Error) => note({ failed: message }),
    );
    return claim;
  };
  const started = async (owner: string, time = clock) => {
    const claim = node(owner, time);
    await until(clock, `${owner} has started`, () => claim.isStarted);
    return claim;
  };
  return { store, clock, aClock, node, started };
}

eachStore('the claim that a node without Redis makes on a store', (kind) => {
  it('excludes all other nodes, with or without Redis, while the node runs', async (t) => {
    const { clock, node, started } = await aStore(t, kind);
    const first = await started('n1');
    const others = [node('n2'), node(CLUSTER)];
    await clock.advance(35 * SECOND);
    for (const { isStarted, failed } of others) {
      assert.equal(isStarted, false);
      assert.match(failed, /^Another node uses this store .* REDIS_URL/);
    }
    assert.equal(first.isLost, false);
    await first.release();
  });

  it('ends when the node stops, or a few seconds after the node crashes', async (t) => {
    const { clock, aClock, node, started } = await aStore(t, kind);
    const first = await started('n1');
    const second = node('n2');
    await clock.advance(8 * SECOND);
    assert.equal(second.isStarted, false);
    assert.deepEqual([first.events, second.events], [[], ['store.awaited']]);
    await first.release();
    await until(clock, 'the second starts', () => second.isStarted);
    await second.release();

    const dying = aClock();
    await started('n3', dying);
    const since = clock.monotonic();
    const next = await started('n4');
    const waited = clock.monotonic() - since;
    assert.ok(waited >= 5 * SECOND && waited < 7 * SECOND, `${waited} ms`);
    // It was only slow.
    await dying.advance(2 * SECOND);
    await clock.advance(2 * SECOND);
    assert.equal(next.isLost, false);
    await next.release();
  });

  it('is refused while any node of a cluster uses the store', async (t) => {
    const { clock, node, started } = await aStore(t, kind);
    const nodes = [await started(CLUSTER), await started(CLUSTER)];
    await nodes[0]!.release();
    const alone = node('n1');
    await clock.advance(35 * SECOND);
    assert.deepEqual([alone.isStarted, nodes[1]!.isLost], [false, false]);
    await nodes[1]!.release();
  });
});

eachStore('a stopping node', (kind) => {
  it('releases its claim even if the database no longer responds', async (t) => {
    const { store, started } = await aStore(t, kind);
    const { release } = await started('n1');
    await store.close();
    await release();
  });
});

it('a stopping node waits only for a limited time for an unreachable MongoDB', {
  skip: !process.env['MONGODB_URL'],
  timeout: 600_000,
}, async (t) => {
  const { link, kind } = await aCuttableStore(t, 2 * SECOND);
  const { store, started } = await aStore(t, kind);
  const time = new VirtualClock();
  const { release } = await started('n1', time);
  link.cut();
  while (!store.isAway?.()) await pause(systemClock, 50);
  const released = release();
  await time.advance(5 * SECOND);
  await released;
});

eachStore('a node that has lost its store to another node', (kind) => {
  it('is notified of the loss once', async (t) => {
    const { aClock, started } = await aStore(t, kind);
    const stalled = aClock();
    const first = await started('n1', stalled);
    const second = await started('n2');
    assert.equal(first.isLost, false);
    await stalled.advance(2 * SECOND);
    await until(stalled, 'it is told', () => first.isLost);
    await first.release();
    await second.release();
  });
});

it('a running node on MongoDB claims its store', { skip: !process.env['MONGODB_URL'] }, async (t) => {
  const url = aDatabase(t);
  const store = await openMongo({ url });
  t.after(() => store.close());
  const claims = store.collection<{ readonly _id: string; readonly owner: string }>({ name: 'store_claims', indexes: [] });
  const env = { MONGODB_URL: url, DATA_DIR: aDirectory(t), PORT: '0', LOG_LEVEL: 'silent' };
  const first = await startNode(readConfig(env, '/nowhere'));
  const [claim] = await claims.find({}).toArray();
  assert.ok(claim && claim.owner !== CLUSTER);
  await claims.updateOne({ _id: claim._id }, { $set: { owner: 'another node' } });
  await first.replaced;
  await first.stop();
  assert.equal((await claims.find({}).toArray())[0]?.owner, 'another node');
  await claims.deleteOne({ _id: claim._id });
  await (await startNode(readConfig(env, '/nowhere'))).stop();
  assert.deepEqual(await claims.find({}).toArray(), []);
});

it('a node on MongoDB that fails to start releases its store', { skip: !process.env['MONGODB_URL'] }, async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const url = aDatabase(t);
  const store = await openMongo({ url });
  t.after(() => store.close());
  const { port } = taken.address() as AddressInfo;
  const env = { MONGODB_URL: url, DATA_DIR: aDirectory(t), PORT: `${port}`, LOG_LEVEL: 'silent' };
  await assert.rejects(
    promisify(execFile)(process.execPath, [RUN, 'start'], { env, cwd: import.meta.dirname }),
    /Port \d+ of .* is already in use/,
  );
  assert.deepEqual(await store.collection({ name: 'store_claims', indexes: [] }).find({}).toArray(), []);
});
