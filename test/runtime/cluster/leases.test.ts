import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachCluster, heartbeats } from './kinds.ts';

eachCluster('a lease', 'any', (kind) => {
  it('is safe as soon as it is acquired, and is the same object for every caller on the node', async (t) => {
    const { leases } = await (await kind.fixture(t)).node('a');
    const [lease, again] = await Promise.all([leases.acquire('device/1'), leases.acquire('device/1')]);
    assert.equal(lease?.isSafe(), true);
    assert.equal(lease?.key, 'device/1');
    assert.equal(again, lease);
    assert.equal(await leases.acquire('device/1'), lease);
    assert.deepEqual(leases.held(), [lease]);
  });

  it('is unsafe after its release, but is not reported as lost', async (t) => {
    const fixture = await kind.fixture(t);
    const { leases } = await fixture.node('a');
    const lease = await leases.acquire('device/1');
    lease!.onLost(() => assert.fail('it was released, not lost'));
    await leases.release(lease!);
    assert.equal(lease!.isSafe(), false);
    assert.deepEqual([leases.held(), await leases.holders(['device/1'])], [[], [null]]);
    const next = await leases.acquire('device/1');
    assert.notEqual(next, lease);
    assert.equal(next?.isSafe(), true);
  });

  it('cannot be released by its former holder after it has been acquired again', async (t) => {
    const { leases } = await (await kind.fixture(t)).node('a');
    const first = await leases.acquire('device/1');
    await leases.release(first!);
    const second = await leases.acquire('device/1');
    await leases.release(first!);
    assert.equal(second?.isSafe(), true);
    assert.deepEqual(await leases.holders(['device/1']), ['a']);
  });

  it('can be looked up by its key to find the node that holds it', async (t) => {
    const { leases } = await (await kind.fixture(t)).node('a');
    await leases.acquire('device/2');
    assert.deepEqual(await leases.holders(['device/1', 'device/2']), [null, 'a']);
    assert.deepEqual(await leases.holders([]), []);
  });

  it('is released when its node leaves, and can no longer be acquired by that node', async (t) => {
    const a = await (await kind.fixture(t)).node('a');
    const lease = await a.leases.acquire('device/1');
    await Promise.all([a.leave(), a.leave()]);
    assert.deepEqual([lease!.isSafe(), a.leases.held()], [false, []]);
    assert.equal(await a.leases.acquire('device/2'), null);
  });
});

eachCluster('leases shared by several nodes', 'several nodes', (kind) => {
  it('are held by one node each, whichever node requests them first', async (t) => {
    const fixture = await kind.fixture(t);
    const nodes = [await fixture.node('a'), await fixture.node('b'), await fixture.node('c')];
    for (let round = 0; round < 20; round += 1) {
      const given = await Promise.all(nodes.map(({ leases }) => leases.acquire(`device/${round}`)));
      assert.equal(given.filter((lease) => lease?.isSafe()).length, 1);
    }
  });

  it('pass to another node when they are released or their node leaves', async (t) => {
    const fixture = await kind.fixture(t);
    const [a, b] = [await fixture.node('a'), await fixture.node('b')];
    const lease = await a.leases.acquire('device/1');
    await a.leases.acquire('device/2');
    assert.equal(await b.leases.acquire('device/1'), null);
    await a.leases.release(lease!);
    assert.ok(await b.leases.acquire('device/1'));
    assert.deepEqual(await a.leases.holders(['device/1', 'device/2']), ['b', 'a']);
    await a.leave();
    assert.ok(await b.leases.acquire('device/2'));
  });

  it('stay with their node as long as it is alive', async (t) => {
    const fixture = await kind.fixture(t);
    const [a, b] = [await fixture.node('a'), await fixture.node('b')];
    const keys = Array.from({ length: 1_500 }, (_, i) => `device/${i}`);
    const leases = await Promise.all(keys.map((key) => a.leases.acquire(key)));
    await heartbeats(fixture, 'a', b, 4);
    assert.ok(leases.every((lease) => lease!.isSafe()));
    assert.equal(await b.leases.acquire('device/1499'), null);
  });

  it('must expire before a restarted node can acquire them', async (t) => {
    const fixture = await kind.fixture(t);
    const before = await fixture.node('a');
    const lease = await before.leases.acquire('device/1');
    const after = await fixture.node('a');
    assert.equal(await after.leases.acquire('device/1'), null);
    assert.equal(lease!.isSafe(), true);
  });
});
