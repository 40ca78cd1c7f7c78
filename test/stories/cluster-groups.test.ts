import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SandboxConnection } from '../../actors/network/sandbox/connection.ts';
import { interpose } from '../../scripts/faults/interpose.ts';
import { aCluster } from '../support/cluster.ts';
import { eachStore, type StoreKind } from '../support/stores.ts';

const ANNA = '6281211110001';
/** Of the first device of a fleet. */
const DEVICE = '6281100010000';
const GROUPS = 500;
const MEMBERS = 1_024;
const KB = 1_024;

/** A store that counts what is written to the list of groups. */
function counting(kind: StoreKind): { readonly kind: StoreKind; readonly written: string[] } {
  const written: string[] = [];
  const fresh: StoreKind['fresh'] = async (scope) =>
    interpose(await kind.fresh(scope), async ({ collection, name }, run) => {
      const done = await run();
      const isNothing = typeof done === 'object' && done !== null && 'matchedCount' in done && done.matchedCount === 0;
      if (collection === 'groups' && /^(insert|update)/.test(name) && !isNothing) written.push(name);
      return done;
    });
  return { kind: { name: kind.name, fresh }, written };
}

eachStore('a device with 500 groups, one of which has 1,024 members, in a two-node cluster', (kind) => {
  it('lists its groups through the other node with one query and no large messages between nodes', async (t) => {
    const store = counting(kind);
    const cluster = await aCluster(t, store.kind);
    const anna = cluster.sandbox.phone(ANNA);
    for (let nth = 1; nth < GROUPS; nth += 1) anna.act({ act: 'create_group', subject: `group ${nth}`, participants: [DEVICE] });
    const people = Array.from({ length: MEMBERS - 2 }, (_, nth) => String(6_281_500_000_000 + nth));
    anna.act({ act: 'create_group', subject: 'Everybody', participants: [DEVICE, ...people] });
    const asked = t.mock.method(SandboxConnection.prototype, 'ask').mock;
    const questions = (name: string): number => asked.calls.filter(({ arguments: [one] }) => one === name).length;

    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(1, a);
    const { path } = fleet.devices[0]!;
    const api = fleet.at(cluster.owners(fleet)[0] === 'a' ? b : a);
    const { groups } = (await api('GET', `${path}/groups`)).body;
    assert.equal(groups.length, GROUPS);
    assert.equal(questions('groups.list'), 1);
    assert.ok(cluster.redis.longest < 2 * KB, `${cluster.redis.longest}`);
    assert.deepEqual(new Set(store.written), new Set(['insertMany']), 'what is new is written together');

    const { id } = groups.find(({ subject }: { subject: string }) => subject === 'Everybody');
    store.written.length = 0;
    const group = (await api('GET', `${path}/groups/${id}`)).body;
    assert.equal(group.participants.length, MEMBERS);
    assert.deepEqual([questions('groups.get'), store.written], [1, ['updateOne']]);
    assert.ok(cluster.redis.longest < 256 * KB, `${cluster.redis.longest}`);
  });
});

eachStore('a node that stops while a group is being created', (kind) => {
  for (const end of ['kill', 'stop'] as const)
    it(`does not cause a second group, because another node returns 504 instead (${end})`, async (t) => {
      const cluster = await aCluster(t, kind);
      const nodes = [await cluster.node('a'), await cluster.node('b')];
      const fleet = await cluster.fleet(1, nodes[0]!);
      const { path, phone } = fleet.devices[0]!;
      const [owner, other] = cluster.owners(fleet)[0] === 'a' ? nodes : nodes.toReversed();
      cluster.sandbox.device(phone).fault({ kind: 'unanswered', forMs: 8_000 });
      const made = () => cluster.sandbox.phone(phone).groups().length;
      const making = fleet.at(other!)('POST', `${path}/groups`, { subject: 'Choir', participants: [ANNA] });
      await cluster.waited('the network made it', () => made() === 1);
      await owner![end]();
      const { status, body } = await making;
      assert.deepEqual([status, body.code, made()], [504, 'DEVICE_TIMEOUT', 1]);
    });
});
