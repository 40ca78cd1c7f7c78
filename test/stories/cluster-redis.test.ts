import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster, LEASE_MS } from '../support/cluster.ts';
import { eachStore } from '../support/stores.ts';

const ANNA = '6281211110001';
const TEXT = { chat_id: `+${ANNA}`, type: 'text', body: 'hello' };

eachStore('a cluster that loses Redis', (kind) => {
  it('keeps sending until its leases expire, then pauses, and recovers automatically', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await cluster.waited('both have a share', async () => (await cluster.loads(a))['a'] === 3);
    const arrived = () => cluster.sandbox.phone(ANNA).messages(500).length;
    const owned = cluster.owners(fleet);

    cluster.redis.down();
    await cluster.clock.advance(1_000);
    // Each through the node that runs it: there is nobody to pass a hint on.
    for (const [i, { path }] of fleet.devices.entries())
      assert.equal((await fleet.at(owned[i] === 'a' ? a : b)('POST', `${path}/messages`, TEXT)).status, 202);
    assert.ok((await cluster.waited('all are sent', () => arrived() === 5)) < LEASE_MS / 2);
    const { id } = (await fleet.at(a)('POST', '/v1/sessions', {})).body;
    const refused = await fleet.at(a)('POST', `/v1/sessions/${id}/connect`);
    assert.deepEqual([refused.status, refused.body.code], [503, 'UNAVAILABLE']);
    assert.equal((await a.api('GET', '/ready')).status, 503);
    assert.equal((await a.operator('GET', '/v1/admin/nodes')).status, 503);

    await cluster.clock.advance(LEASE_MS);
    const online = cluster.sandbox.journal.of('login').length - cluster.sandbox.journal.of('logout').length;
    assert.equal(online, 0, 'nobody acts on a lease in doubt');
    for (const { path } of fleet.devices) assert.equal((await fleet.at(b)('POST', `${path}/messages`, TEXT)).status, 202);
    assert.equal(arrived(), 5);

    cluster.redis.up();
    await cluster.waited('the rest is sent', () => arrived() === 10);
    await cluster.waited('both have a share again', async () => {
      const loads = await cluster.loads(a);
      return loads['a'] === 3 && loads['b'] === 3;
    });
    assert.equal((await a.api('GET', '/ready')).status, 200);
    assert.equal((await fleet.at(a)('POST', `/v1/sessions/${id}/connect`)).status, 202);
    assert.equal(cluster.sandbox.journal.of('duplicate').length, 0);
  });

  it('moves devices off a node that is the only one without Redis', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await cluster.waited('both have a share', async () => (await cluster.loads(a))['a'] === 3);
    cluster.redis.partition('b');
    await cluster.waited('a has all', () => cluster.owners(fleet).every((owner) => owner === 'a'));
    for (const { path } of fleet.devices) assert.equal((await fleet.at(a)('POST', `${path}/messages`, TEXT)).status, 202);
    await cluster.waited('all are sent', () => cluster.sandbox.phone(ANNA).messages(500).length === 5);
    cluster.redis.heal('b');
    await cluster.waited('b has its share again', async () => (await cluster.loads(a))['b'] === 3);
    assert.equal(cluster.sandbox.journal.of('duplicate').length, 0);
  });
});
