import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster, LEASE_MS } from '../support/cluster.ts';
import { eachStore } from '../support/stores.ts';

eachStore('a node that starts under a name in use', (kind) => {
  it('replaces the earlier process without losing messages or requests', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(5, a, b);
    await cluster.waited('both have a share', async () => (await cluster.loads(a))['a'] === 3);
    let isReplaced = false;
    // As the start script does.
    void b.node.replaced.then(() => {
      isReplaced = true;
    });
    const twin = await cluster.node('b');
    const ms = await cluster.waited('the older one knows', () => isReplaced);
    assert.ok(ms < LEASE_MS, `after ${ms} ms`);
    await b.stop();
    await cluster.waited('both have a share again', async () => {
      const loads = await cluster.loads(twin);
      return loads['a'] === 3 && loads['b'] === 3;
    });
    for (const node of [a, twin])
      for (const { path } of fleet.devices)
        assert.equal((await fleet.at(node)('POST', `${path}/validate`, { phones: ['+6281211110001'] })).status, 200);
  });
});
