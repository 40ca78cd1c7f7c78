import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CLOSED } from '../../actors/network/port.ts';
import { aCluster, type Cluster, type ClusterNode, type Fleet, LEASE_MS } from '../support/cluster.ts';
import type { StoreLink } from '../support/linked-store.ts';
import { eachStore } from '../support/stores.ts';

const ANNA = '6281211110001';
const TEXT = { chat_id: `+${ANNA}`, type: 'text', body: 'hello' };
/** Three rounds of silence, the end of the round before, and the logins. */
const TAKEN_OVER_MS = LEASE_MS * 2;

eachStore('a cluster with a node that loses the store', (kind) => {
  for (const breaks of ['cut', 'hold'] as const)
    it(`moves that node's devices to the other node, and recovers automatically (${breaks})`, async (t) => {
      const { cluster, a, b, fleet } = await aPair(t, kind);
      const moved = fleet.devices.filter((_device, i) => cluster.owners(fleet)[i] === 'b');
      assert.ok(moved.length >= 2, `${moved.length} have to move`);
      b.storeLink[breaks]();
      assert.ok((await cluster.waited('a runs all', () => areOnline(cluster, fleet, 'a'))) <= TAKEN_OVER_MS);
      for (const { path } of moved) assert.equal((await fleet.at(a)('POST', `${path}/messages`, TEXT)).status, 202);
      await cluster.waited('all are sent', () => cluster.sandbox.phone(ANNA).messages(500).length === moved.length);
      const { body } = await a.operator('GET', '/v1/admin/nodes');
      assert.deepEqual(
        body.nodes.map(({ id, store, devices }: { id: string; store: string; devices: number }) => [id, store, devices]),
        [
          ['a', 'answers', 5],
          ['b', 'stepped_down', 0],
        ],
      );
      assert.equal(await steppedDown(b), 1);

      const refused = await a.operator('POST', `/v1/admin/sessions/${moved[0]!.id}/move`, { node: 'b' });
      assert.deepEqual([refused.status, refused.body.code], [400, 'VALIDATION_FAILED']);

      b.storeLink.mend();
      await cluster.waited('b has its share again', async () => (await cluster.loads(a))['b'] === 3);
      assert.equal(await steppedDown(b), 0);
      nobodyQuarrelled(cluster);
    });

  it('leaves all devices in place if every node loses the store', async (t) => {
    const { cluster, a, b, fleet } = await aPair(t, kind);
    const owned = cluster.owners(fleet);
    const logins = () => cluster.sandbox.journal.of('login').length;
    const before = logins();
    for (const { storeLink } of [b, a]) {
      storeLink.cut();
      // Never quite at the same moment.
      await cluster.clock.advance(LEASE_MS / 4);
    }
    await cluster.clock.advance(LEASE_MS * 5);
    assert.deepEqual(cluster.owners(fleet), owned);
    for (const { storeLink } of [a, b]) storeLink.mend();
    const arrived = () => cluster.sandbox.phone(ANNA).messages(500).length;
    for (const { path } of fleet.devices) assert.equal((await fleet.at(a)('POST', `${path}/messages`, TEXT)).status, 202);
    await cluster.waited('all are sent', () => arrived() === fleet.devices.length);
    assert.deepEqual(cluster.owners(fleet), owned);
    assert.equal(logins(), before);
    nobodyQuarrelled(cluster);
  });

  it("leaves a node's devices in place if the node loses the store repeatedly for a short time", async (t) => {
    const { cluster, b, fleet } = await aPair(t, kind);
    const owned = cluster.owners(fleet);
    await blinking(cluster, b.storeLink, 8);
    assert.deepEqual(cluster.owners(fleet), owned);
    nobodyQuarrelled(cluster);
  });
});

async function blinking({ clock }: Cluster, link: StoreLink, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    link.cut();
    await clock.advance(LEASE_MS / 2);
    link.mend();
    await clock.advance(LEASE_MS / 2);
  }
}

async function aPair(t: Parameters<typeof aCluster>[0], kind: Parameters<typeof aCluster>[1]) {
  const cluster = await aCluster(t, kind);
  const [a, b] = [await cluster.node('a'), await cluster.node('b')];
  const fleet = await cluster.fleet(5, a, b);
  await cluster.waited('both have a share', async () => (await cluster.loads(a))['b'] === 3);
  return { cluster, a, b, fleet };
}

const areOnline = (cluster: Cluster, fleet: Fleet, on: string): boolean =>
  cluster.owners(fleet).every((owner) => owner === on) && fleet.devices.every(({ phone }) => isOnline(cluster, phone));

const isOnline = ({ sandbox }: Cluster, phone: string): boolean =>
  sandbox.journal.after().findLast((entry) => entry.phone === phone && (entry.what === 'login' || entry.what === 'logout'))?.what ===
  'login';

async function steppedDown({ api }: ClusterNode): Promise<number> {
  const { body } = await api('GET', '/metrics');
  return Number(/^gateway_stepped_down (\d)$/m.exec(String(body))?.[1]);
}

function nobodyQuarrelled({ sandbox }: Cluster): void {
  assert.equal(sandbox.journal.of('duplicate').length, 0);
  assert.deepEqual(
    sandbox.journal.of('logout').filter(({ code }) => code === CLOSED.replaced),
    [],
  );
}
