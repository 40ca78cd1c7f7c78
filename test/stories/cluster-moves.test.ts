import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { aCluster, type Cluster, type ClusterNode, type Fleet } from '../support/cluster.ts';
import type { Answer } from '../support/gateway.ts';
import { aDirectory, eachStore } from '../support/stores.ts';

const ANNA = '6281211110001';
const NO_PAUSE = { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } };

eachStore('a device that an operator moves', (kind) => {
  it('stays pinned to its new node until it is unpinned', async (t) => {
    const { cluster, a, fleet } = await aPair(t, kind);
    const [first] = fleet.devices;
    const [from] = cluster.owners(fleet);
    const to = from === 'a' ? 'b' : 'a';
    const moved = await a.operator('POST', `/v1/admin/sessions/${first!.id}/move`, { node: to });
    assert.deepEqual([moved.status, moved.body], [202, { device: first!.id, from, to }]);
    await cluster.waited('it is there', () => cluster.owners(fleet)[0] === to);
    await cluster.clock.advance(60_000);
    assert.equal(cluster.owners(fleet)[0], to);
    const { sessions } = (await a.operator('GET', '/v1/admin/sessions')).body;
    const shown = sessions.find(({ id }: { id: string }) => id === first!.id);
    assert.deepEqual([shown.node, shown.pinned_node, shown.status], [to, to, 'connected']);

    const back = await a.operator('POST', `/v1/admin/sessions/${first!.id}/move`, {});
    assert.deepEqual([back.status, back.body.to], [202, from]);
    await cluster.waited('it is back', () => cluster.owners(fleet)[0] === from);
  });

  it('cannot be moved to an unknown node', async (t) => {
    const { a, fleet } = await aPair(t, kind);
    const path = `/v1/admin/sessions/${fleet.devices[0]!.id}/move`;
    assert.equal((await a.operator('POST', path, { node: 'nowhere' })).status, 400);
    assert.equal((await a.operator('POST', '/v1/admin/sessions/01KE0000000000000000000000/move', { node: 'a' })).status, 404);
  });

  it('queues calls during the move, and answers all of them afterwards', async (t) => {
    const { cluster, a, b, fleet } = await aPair(t, kind);
    const { id, path } = fleet.devices[0]!;
    const asked: Promise<Answer>[] = [];
    for (let round = 0; round < 4; round += 1) {
      const to = cluster.owners(fleet)[0] === 'a' ? 'b' : 'a';
      const moving = a.operator('POST', `/v1/admin/sessions/${id}/move`, { node: to });
      for (const node of [a, b]) asked.push(fleet.at(node)('POST', `${path}/validate`, { phones: [`+${ANNA}`] }));
      assert.equal((await moving).status, 202);
      await cluster.waited('it is there', () => cluster.owners(fleet)[0] === to);
    }
    const answers = await Promise.all(asked);
    assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body.results?.[0].exists}`))], ['200 true']);
  });

  it('sends each queued message only once', async (t) => {
    const { cluster, a, b, fleet } = await aPair(t, kind);
    const { id, path } = fleet.devices[0]!;
    await fleet.at(a)('PUT', '/v1/settings', NO_PAUSE);
    for (let n = 0; n < 40; n += 1) {
      if (n % 10 === 5) {
        const to = cluster.owners(fleet)[0] === 'a' ? 'b' : 'a';
        void a.operator('POST', `/v1/admin/sessions/${id}/move`, { node: to });
      }
      const accepted = await fleet.at(n % 2 ? a : b)('POST', `${path}/messages`, { chat_id: `+${ANNA}`, type: 'text', body: `no ${n}` });
      assert.equal(accepted.status, 202);
    }
    const bodies = () =>
      cluster.sandbox
        .phone(ANNA)
        .messages(500)
        .map(({ content }) => (content.type === 'text' ? content.body : '?'));
    await cluster.waited('all arrived', () => bodies().length >= 40);
    await cluster.clock.advance(60_000);
    assert.deepEqual(bodies().sort(), Array.from({ length: 40 }, (_, n) => `no ${n}`).sort());
    assert.equal(cluster.sandbox.journal.of('duplicate').length, 0);
  });

  it("keeps the network's backoff and the retry times of waiting messages", async (t) => {
    const { cluster, a, fleet } = await aPair(t, kind);
    const { id, path, phone } = fleet.devices[0]!;
    const shop = fleet.at(a);
    await shop('PUT', '/v1/settings', { ...NO_PAUSE, send_window: { enabled: false } });
    cluster.sandbox.device(phone).fault({ kind: 'ack', code: 429, times: 1, backoffMs: 600_000 });
    const write = async (body: string) => (await shop('POST', `${path}/messages`, { chat_id: `+${ANNA}`, type: 'text', body })).body;
    const { id: message } = await write('held');
    const held = async () => (await shop('GET', `${path}/messages/${message}`)).body;
    const { until } = await a.until('it was refused', async () => (await held()).waiting);
    const to = cluster.owners(fleet)[0] === 'a' ? 'b' : 'a';
    await a.operator('POST', `/v1/admin/sessions/${id}/move`, { node: to });
    await cluster.waited('it moved', () => cluster.owners(fleet)[0] === to);
    await write('later');
    const arrived = () => cluster.sandbox.phone(ANNA).messages(500).length;
    await cluster.clock.advance(300_000);
    assert.deepEqual([arrived(), (await held()).waiting], [0, { reason: 'backoff', until }]);
    await cluster.clock.advance(400_000);
    await cluster.waited('both are there', () => arrived() === 2);
    assert.equal(cluster.sandbox.journal.of('duplicate').length, 0);
    assert.equal((await held()).waiting, undefined);
  });

  it("uses its tenant's new pace on every node", async (t) => {
    const { cluster, a, b, fleet } = await aPair(t, kind);
    const slow = { pacing: { min_delay_ms: 60_000, max_delay_ms: 60_000, typing: false } };
    assert.equal((await fleet.at(a)('PUT', '/v1/settings', slow)).status, 200);
    for (const { path } of fleet.devices)
      for (const body of ['one', 'two']) await fleet.at(a)('POST', `${path}/messages`, { chat_id: `+${ANNA}`, type: 'text', body });
    const arrived = () => cluster.sandbox.phone(ANNA).messages(500).length;
    await cluster.waited('the first of each are sent', () => arrived() === fleet.devices.length);
    await cluster.clock.advance(5_000);
    assert.equal(arrived(), fleet.devices.length);
    await fleet.at(b)('PUT', '/v1/settings', NO_PAUSE);
    const ms = await cluster.waited('the rest are sent', () => arrived() === 2 * fleet.devices.length);
    assert.ok(ms < 5_000, `after ${ms} ms`);
  });
});

eachStore('a cluster rebalance', (kind) => {
  it('lists the planned moves in a dry run without making them', async (t) => {
    const { cluster, a, b, fleet } = await aPair(t, kind);
    await b.operator('POST', '/v1/admin/nodes/a/drain');
    await cluster.waited('a is empty', async () => (await cluster.loads(b))['a'] === 0);
    const before = cluster.owners(fleet);
    const undrained = a.operator('POST', '/v1/admin/nodes/a/undrain');
    const dry = await b.operator('POST', '/v1/admin/rebalance', { dry_run: true });
    assert.deepEqual([dry.status, cluster.owners(fleet)], [202, before]);
    await undrained;
    await cluster.waited('both have a share', async () => (await cluster.loads(b))['a'] === 3);
    assert.deepEqual((await b.operator('POST', '/v1/admin/rebalance', { dry_run: true })).body, { moves: [] });
    assert.deepEqual((await b.operator('POST', '/v1/admin/rebalance', {})).body, { moves: [] });
  });

  it('does not move a device while its phone is being linked', async (t) => {
    const { cluster, a, b, fleet } = await aPair(t, kind);
    const { id } = (await fleet.at(a)('POST', '/v1/sessions', {})).body;
    await fleet.at(b)('POST', `/v1/sessions/${id}/connect`);
    const qr = await b.until('a code', async () => (await fleet.at(a)('GET', `/v1/sessions/${id}/qr`)).body.qr);
    const pairing = { ...fleet, devices: [{ id, path: '', phone: '' }] };
    const [where] = cluster.owners(pairing);
    const to = where === 'a' ? 'b' : 'a';
    assert.equal((await a.operator('POST', `/v1/admin/sessions/${id}/move`, { node: to })).status, 409);
    const { sessions } = (await a.operator('GET', '/v1/admin/sessions')).body;
    assert.equal(sessions.find((shown: { id: string }) => shown.id === id).pinned_node, null, 'it does not follow later, either');
    await a.operator('POST', `/v1/admin/nodes/${where}/drain`);
    await cluster.waited('all others left', async () => (await cluster.loads(a))[where!] === 1);
    await cluster.clock.advance(10_000);
    assert.deepEqual(cluster.owners(pairing), [where]);
    cluster.sandbox.phone('6281100077777').scan({ qr });
    await b.until('it is online', async () => (await fleet.at(b)('GET', `/v1/sessions/${id}`)).body.status === 'connected');
    await cluster.waited('it followed', () => cluster.owners(pairing)[0] === to);
  });
});

eachStore("a shared store's files", (kind) => {
  it('must be available before a node can start', async (t) => {
    const cluster = await aCluster(t, kind);
    const [elsewhere, fresh] = [aDirectory(t), aDirectory(t)];
    await cluster.node('a');
    await assert.rejects(cluster.node('b', { data_dir: elsewhere }), ({ message }: Error) => {
      assert.match(message, new RegExp(`^${elsewhere}/media does not contain the files of this store\\. .* S3_BUCKET, .*\\.$`));
      return true;
    });
    await cluster.node('b');
    cpSync(join(cluster.directory, 'media'), join(fresh, 'media'), { recursive: true });
    await cluster.node('c', { data_dir: fresh });
  });
});

interface Pair {
  readonly cluster: Cluster;
  readonly a: ClusterNode;
  readonly b: ClusterNode;
  readonly fleet: Fleet;
}

/** Two nodes with five devices and the platform's sender, evenly spread. */
async function aPair(...given: Parameters<typeof aCluster>): Promise<Pair> {
  const cluster = await aCluster(...given);
  const [a, b] = [await cluster.node('a'), await cluster.node('b')];
  const fleet = await cluster.fleet(5, a, b);
  await cluster.waited('both have a share', async () => (await cluster.loads(a))['a'] === 3);
  return { cluster, a, b, fleet };
}
