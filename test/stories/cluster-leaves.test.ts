import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster, type Cluster, type Fleet, type FleetDevice } from '../support/cluster.ts';
import { eachStore } from '../support/stores.ts';

const AWAY_MS = 500;
const LEFT_MS = 3_000;

eachStore("a stopping node's devices", (kind) => {
  it('are offline only for a short time', async (t) => {
    const { cluster, b, fleet } = await aTrio(t, kind);
    const moved = fleet.devices.filter((_device, i) => cluster.owners(fleet)[i] === 'b');
    const since = cluster.sandbox.journal.after().at(-1)!.seq;
    const stopped = await b.stop();
    await cluster.waited('all are elsewhere', () => cluster.owners(fleet).every((owner) => owner === 'a' || owner === 'c'));
    assert.ok(moved.length >= 3, `${moved.length} had to move`);
    assert.ok(stopped < LEFT_MS, `it left after ${stopped} ms`);
    for (const device of moved) {
      const { logins, awayMs } = await backAgain(cluster, device, since);
      assert.equal(logins, 1);
      assert.ok(awayMs <= AWAY_MS, `${device.phone} was away for ${awayMs} ms`);
    }
  });

  it('are released only once, even if an operator drains the node while it stops', async (t) => {
    const { cluster, a, b, fleet } = await aTrio(t, kind);
    const draining = a.operator('POST', '/v1/admin/nodes/b/drain');
    const stopped = await b.stop();
    await draining;
    await cluster.waited('all are elsewhere', () => cluster.owners(fleet).every((owner) => owner === 'a' || owner === 'c'));
    assert.ok(stopped < LEFT_MS, `it left after ${stopped} ms`);
  });
});

async function aTrio(t: Parameters<typeof aCluster>[0], kind: Parameters<typeof aCluster>[1]) {
  const cluster = await aCluster(t, kind);
  const [a, b, c] = [await cluster.node('a'), await cluster.node('b'), await cluster.node('c')];
  const fleet: Fleet = await cluster.fleet(11, a, b, c);
  await cluster.waited('everybody has a share', async () => Object.values(await cluster.loads(a)).every((load) => load === 4));
  // A lease is taken before its device logs in.
  await cluster.waited('and is online', () => fleet.devices.every(({ phone }) => isOnline(cluster, phone)));
  return { cluster, a, b, c, fleet };
}

const isOnline = ({ sandbox }: Cluster, phone: string): boolean =>
  sandbox.journal.after().findLast((entry) => entry.phone === phone && (entry.what === 'login' || entry.what === 'logout'))?.what ===
  'login';

/** How often it logged in since, and how long it was away before. */
async function backAgain(cluster: Cluster, { phone }: FleetDevice, since: number): Promise<{ logins: number; awayMs: number }> {
  const of = (what: 'login' | 'logout') =>
    cluster.sandbox.journal.after(since).filter((entry) => entry.phone === phone && entry.what === what);
  await cluster.waited('it is back', () => of('login').length > 0);
  return { logins: of('login').length, awayMs: of('login')[0]!.at - of('logout')[0]!.at };
}
