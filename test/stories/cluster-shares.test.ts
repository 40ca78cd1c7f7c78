import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listen } from '../actors/services/live/listener.ts';
import { aCluster, type Cluster, type ClusterNode, LEASE_MS } from '../support/cluster.ts';
import { eachStore } from '../support/stores.ts';

const HAND_OVER_MS = 1_000;

eachStore('the devices of a cluster', (kind) => {
  it('are reachable through every node', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await shared(cluster, a, { a: 3, b: 3 });
    assert.deepEqual([...new Set(cluster.owners(fleet))].sort(), ['a', 'b']);
    for (const node of [a, b])
      for (const { path, phone } of fleet.devices) {
        const { status, body } = await fleet.at(node)('POST', `${path}/validate`, { phones: ['+6281211110001'] });
        assert.deepEqual([status, body.results?.[0].exists], [200, true], `${phone} through ${node.id}`);
      }

    // Who writes is watched through another node than the device's own: the device is online meanwhile. A node that died watches no more.
    const nth = cluster.owners(fleet).indexOf('a');
    const { path, phone } = fleet.devices[nth]!;
    const isOnline = () => cluster.sandbox.device(phone).isAvailable();
    assert.equal((await fleet.at(a)('PATCH', path, { presence: 'auto' })).status, 200);
    const stream = await listen(b.node.url, fleet.at(b), ['chat.presence']);
    await cluster.waited('it is online', isOnline);
    stream.close();
    await cluster.waited('it is offline', () => !isOnline());
    await listen(b.node.url, fleet.at(b), ['chat.presence']);
    await cluster.waited('it is online again', isOnline);
    await b.kill();
    await cluster.waited('the dead node watches no more', () => !isOnline());
  });

  it('move only to a node that joins', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await shared(cluster, a, { a: 3, b: 3 });
    const before = cluster.owners(fleet);
    await cluster.node('c');
    await shared(cluster, a, { a: 2, b: 2, c: 2 });
    const after = cluster.owners(fleet);
    assert.ok(after.every((owner, i) => owner === before[i] || owner === 'c'));
  });

  it('reconnect elsewhere soon after the leases of a lost node expire', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await shared(cluster, a, { a: 3, b: 3 });
    await b.kill();
    const ms = await cluster.waited('all are with a', () => cluster.owners(fleet).every((owner) => owner === 'a'));
    assert.ok(ms <= LEASE_MS + 2_000, `after ${ms} ms`);
    await everybodyOnline(cluster, fleet.devices);
    assert.deepEqual(await cluster.loads(a), { a: 6 });
    for (const { path } of fleet.devices) assert.equal((await fleet.at(a)('GET', path)).body.status, 'connected');
  });

  it('move at once when a node stops, and return when it starts again', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await shared(cluster, a, { a: 3, b: 3 });
    const stopped = await b.stop();
    const ms = stopped + (await cluster.waited('all are with a', () => cluster.owners(fleet).every((owner) => owner === 'a')));
    assert.ok(ms < HAND_OVER_MS, `after ${ms} ms`);
    await everybodyOnline(cluster, fleet.devices);
    await cluster.node('b');
    await shared(cluster, a, { a: 3, b: 3 });
  });

  it('leave a drained node, and return once it is undrained', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await shared(cluster, a, { a: 3, b: 3 });
    const { status, body } = await a.operator('POST', '/v1/admin/nodes/b/drain');
    assert.deepEqual([status, body.id, body.state], [202, 'b', 'draining']);
    await shared(cluster, b, { a: 6, b: 0 });
    const { nodes } = (await b.operator('GET', '/v1/admin/nodes')).body;
    assert.deepEqual([nodes[1].id, nodes[1].state, nodes[1].devices], ['b', 'draining', 0]);
    assert.equal((await fleet.at(b)('GET', fleet.devices[0]!.path)).body.status, 'connected');

    assert.equal((await b.operator('POST', '/v1/admin/nodes/b/undrain')).body.state, 'active');
    await shared(cluster, a, { a: 3, b: 3 });
    await everybodyOnline(cluster, fleet.devices);
    assert.equal((await a.operator('POST', '/v1/admin/nodes/nobody/drain')).status, 404);
  });
});

const shared = (cluster: Cluster, node: ClusterNode, loads: Readonly<Record<string, number>>): Promise<number> =>
  cluster.waited(`everybody has a share: ${JSON.stringify(loads)}`, async () => {
    const now = await cluster.loads(node);
    return JSON.stringify(now) === JSON.stringify(loads);
  });

/** The network has exactly one login of each. */
async function everybodyOnline({ sandbox, waited }: Cluster, devices: readonly { readonly phone: string }[]): Promise<void> {
  const open = (phone: string): number => {
    const of = (what: 'login' | 'logout') => sandbox.journal.of(what).filter((entry) => entry.phone === phone).length;
    return of('login') - of('logout');
  };
  await waited('all are online', () => devices.every(({ phone }) => open(phone) === 1));
}
