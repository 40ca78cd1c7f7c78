import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster, type Cluster, type ClusterNode, type Fleet } from '../../../support/cluster.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aReceiver, isSigned, type Receiver, SECRET } from './receiver.ts';

const MANY = 60;

interface Scene {
  readonly cluster: Cluster;
  readonly nodes: readonly ClusterNode[];
  readonly fleet: Fleet;
  readonly receiver: Receiver;
  /** Anna writes `count` messages to the devices in turn. */
  write(from: number, count: number): void;
  /** Who runs the tenant that owns the webhook. */
  owner(): ClusterNode | undefined;
}

async function aScene(scope: Scope, kind: StoreKind): Promise<Scene> {
  const receiver = await aReceiver(scope);
  const cluster = await aCluster(scope, kind, { egress_allow: [receiver.place] });
  const nodes = [await cluster.node('a'), await cluster.node('b'), await cluster.node('c')];
  const fleet = await cluster.fleet(3, ...nodes);
  const webhook = { url: receiver.url, secret: SECRET, events: ['message.received'] };
  assert.equal((await fleet.at(nodes[0]!)('POST', '/v1/webhooks', webhook)).status, 201);
  return {
    cluster,
    nodes,
    fleet,
    receiver,
    write(from, count) {
      for (let n = from; n < from + count; n += 1) {
        const { phone } = fleet.devices[n % fleet.devices.length]!;
        cluster.sandbox.phone(ANNA).write({ to: phone, content: { type: 'text', body: `${n}` } });
      }
    },
    owner: () => nodes.find(({ id }) => cluster.redis.holder(`tenant/${fleet.tenant.id}`)?.startsWith(`${id}/`)),
  };
}

/** Event ids under which each message came. */
function idsOf({ received }: Receiver): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { body } of received) ids.set(body.data.body, (ids.get(body.data.body) ?? new Set()).add(body.id));
  return ids;
}

eachStore("a tenant's deliveries on a cluster", (kind) => {
  it('continue on another node after a crash, without losses and under the same ids', { timeout: 600_000 }, async (t) => {
    const { cluster, receiver, write, owner } = await aScene(t, kind);
    const accepted = new Set<string>();
    // Half of the first tries fail, so that retries wait in the store when the node dies; what is asked last hangs.
    receiver.answer((response, { body }) => {
      const tries = receiver.received.filter((one) => one.body.id === body.id).length;
      if (tries === 1 && Number(body.data.body) % 2 === 0) return response.writeHead(500).end();
      if (tries === 1 && Number(body.data.body) % 5 === 0) return undefined;
      accepted.add(body.data.body);
      return response.writeHead(204).end();
    });
    write(0, MANY);
    await cluster.waited('half of them came', () => receiver.received.length >= MANY / 2);
    const first = owner();
    assert.ok(first);
    const dying = first.kill();
    write(MANY, MANY);
    await dying;
    await cluster.waited('all of them were accepted', () => accepted.size === 2 * MANY);
    const second = owner();
    assert.ok(second && second.id !== first.id, 'another node runs the tenant');
    const ids = idsOf(receiver);
    assert.deepEqual([ids.size, [...ids.values()].filter(({ size }) => size > 1).length], [2 * MANY, 0]);
    assert.ok(receiver.received.every((one) => isSigned(one)));
  });

  it('continue on another node after a stop, without duplicates', { timeout: 600_000 }, async (t) => {
    const { cluster, receiver, write, owner } = await aScene(t, kind);
    write(0, MANY);
    await cluster.waited('some came', () => receiver.received.length > 0);
    const first = owner();
    await first?.stop();
    write(MANY, MANY);
    await cluster.waited('all of them came', () => idsOf(receiver).size === 2 * MANY);
    await cluster.clock.advance(60_000);
    assert.equal(receiver.received.length, 2 * MANY);
    assert.notEqual(owner()?.id, first?.id);
  });
});
