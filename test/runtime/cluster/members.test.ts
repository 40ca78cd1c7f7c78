import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cluster } from '../../../runtime/cluster/port.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { aNode, eachCluster, heartbeats } from './kinds.ts';

const ids = (cluster: Cluster): string =>
  cluster
    .members()
    .map(({ id }) => id)
    .join();

eachCluster('a member', 'any', (kind) => {
  it('sees itself in the member list, with its own announcements', async (t) => {
    const fixture = await kind.fixture(t);
    const a = await fixture.node('a');
    assert.deepEqual(
      a.members().map(({ id, boot, state }) => ({ id, boot, state })),
      [{ ...a.self, state: 'active' }],
    );
    const received: string[] = [];
    a.onMembers((members) => received.push(members.map(({ id, state }) => `${id} ${state}`).join()));
    a.announce({ state: 'draining', load: { devices: 3 } });
    await fixture.until(() => a.members()[0]?.state === 'draining');
    a.announce({ load: { devices: 2 } });
    await fixture.until(() => a.members()[0]?.load['devices'] === 2);
    assert.deepEqual(received, ['a draining']);
  });

  it('responds to a ping', async (t) => {
    const a = await (await kind.fixture(t)).node('a');
    await a.ping();
  });
});

eachCluster('members', 'several nodes', (kind) => {
  it('appear and disappear on other nodes, sorted by name', async (t) => {
    const fixture = await kind.fixture(t);
    const [b, a] = [await fixture.node('b'), await fixture.node('a')];
    assert.equal(ids(a), 'a,b');
    await fixture.until(() => ids(b) === 'a,b');
    await a.leave();
    await fixture.until(() => ids(b) === 'b');
  });

  it('publish their state, address and load', async (t) => {
    const fixture = await kind.fixture(t);
    const [a, b] = [await fixture.node('a'), await fixture.node('b')];
    a.announce({ state: 'draining', address: 'http://10.0.0.1', load: { weight: 7 } });
    await fixture.until(() => b.members()[0]?.state === 'draining');
    const { address, load, started_at, heartbeat_at } = b.members()[0]!;
    assert.deepEqual([address, load], ['http://10.0.0.1', { weight: 7 }]);
    assert.ok(heartbeat_at >= started_at);
  });

  it('get a new boot id when they restart, after which the old process cannot reclaim the name', async (t) => {
    const fixture = await kind.fixture(t);
    const [b, before] = [await fixture.node('b'), await fixture.node('a')];
    await heartbeats(fixture, 'a', b, 1);
    const after = await fixture.node('a');
    await fixture.until(() => b.members()[0]?.boot === after.self.boot);
    before.announce({ state: 'draining' });
    await heartbeats(fixture, 'a', b, 3);
    assert.deepEqual(
      b.members().map(({ boot, state }) => [boot, state]),
      [
        [after.self.boot, 'active'],
        [b.self.boot, 'active'],
      ],
    );
  });
});

describe('changes in membership', () => {
  it('reach other nodes immediately, without waiting for a heartbeat', async () => {
    const clock = new VirtualClock();
    const redis = new SimulatedRedis(clock);
    const b = await aNode(redis, 'b');
    const a = await aNode(redis, 'a');
    await clock.advance(0);
    assert.equal(ids(b), 'a,b');
    a.announce({ state: 'draining' });
    await clock.advance(0);
    assert.equal(b.members()[0]?.state, 'draining');
    await a.leave();
    await clock.advance(0);
    assert.equal(ids(b), 'b');
  });
});
