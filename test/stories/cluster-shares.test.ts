import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '../../runtime/random.ts';
import { listen } from '../actors/services/live/listener.ts';
import { aCluster, type Cluster, type ClusterNode, type Fleet, LEASE_MS } from '../support/cluster.ts';
import { ANNA } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const HAND_OVER_MS = 1_000;

eachStore('the devices in a cluster', (kind) => {
  it('can be used through any node', async (t) => {
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

    await agreeWithPhone(cluster, fleet, [a, b]);

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

  it('move only to the new node when a node joins', async (t) => {
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

  it('reconnect on other nodes soon after the leases of a lost node have expired', async (t) => {
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

  it('move away immediately when their node stops, and return when it starts again', async (t) => {
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

  it('leave a drained node, and return when it is undrained', async (t) => {
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

/** The phone and two nodes change one chat at the same time, and two nodes ask for its older messages: the phone and both nodes agree. */
async function agreeWithPhone(cluster: Cluster, fleet: Fleet, nodes: readonly ClusterNode[]): Promise<void> {
  const { path, phone } = fleet.devices[1]!;
  const [chat, hand] = [`${path}/chats/${ANNA}`, cluster.sandbox.phone(phone)];
  cluster.sandbox.phone(ANNA).write({ to: phone, content: { type: 'text', body: 'Hello' } });
  const seen = async (node: ClusterNode) => (await fleet.at(node)('GET', chat)).body;
  await cluster.waited('it came', async () => (await seen(nodes[0]!)).last_message === 'Hello');
  const random = seededRandom(11);
  for (let change = 0; change < 24; change += 1) {
    const name = (['archived', 'pinned', 'unread'] as const)[Math.floor(random() * 3)]!;
    const on = random() < 0.5;
    const through = nodes[change % 2]!;
    const asked = fleet.at(through)('PATCH', chat, { [name]: on });
    if (random() < 0.5) hand.act({ chat: ANNA, act: 'pin', on: random() < 0.5 });
    if (change % 4 === 3) await asked;
    else asked.catch(() => {});
  }
  await cluster.waited('the phone and both nodes show the same', async () => {
    const shown = cluster.sandbox.device(phone).marks();
    const onPhone = [shown.archived, shown.pinned, shown.unread].map((chats) => chats.includes(ANNA));
    const here = await Promise.all(nodes.map(seen));
    return here.every(({ archived, pinned, unread }) => JSON.stringify([archived, pinned, unread]) === JSON.stringify(onPhone));
  });

  cluster.sandbox.device(phone).form({ olderHistory: 40 });
  const answers = await Promise.all(nodes.map((node) => fleet.at(node)('POST', `${chat}/history`)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, 429]);
  for (const node of nodes) {
    const log = async () => (await fleet.at(node)('GET', `${chat}/messages`)).body.messages;
    await cluster.waited('they came once', async () => (await log()).length === 41);
  }
}

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
