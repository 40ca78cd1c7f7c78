import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasRedis } from '../support/redis.ts';
import { gatewayWork } from './scale/gateway-work.ts';
import { replay } from './scale/replay.ts';
import { type Outcome, Scenarios } from './scale/scenarios.ts';
import { channelsOf, leasesOf, ScaleWorld, SLOW_LOGINS, TTL_MS } from './scale/world.ts';

const DEVICES = 300;
const NODES = 4;
const LEASE_S = TTL_MS / 1_000;
const writesOf = ({ figures }: Outcome, cause: string): number => figures.writes.get(cause)?.count ?? 0;

/** The small form of `npm run capacity -- --simulate`; times are virtual. */
describe('a cluster on virtual time', () => {
  it('recovers all devices after each failure, and never runs a device on two nodes', async () => {
    const world = new ScaleWorld(DEVICES);
    await world.plant();
    const scenarios = new Scenarios(world, NODES);
    const herd = await scenarios.herd();
    assert.equal(herd.offline, DEVICES);
    assert.deepEqual([writesOf(herd, 'own a device'), writesOf(herd, 'write a device')], [DEVICES, DEVICES]);

    const { outcome: steady, kept } = await scenarios.steady();
    assert.equal(steady.logins + writesOf(steady, 'own a device'), 0);
    assert.ok(kept.length > NODES * (30 / LEASE_S));
    if (hasRedis) {
      const { calls, failed, commands } = await replay(kept.slice(0, 60), leasesOf(world), channelsOf(world));
      assert.deepEqual([calls, failed], [60, 0]);
      assert.ok(commands.some(({ name, calls: times }) => name === 'evalsha' && times > 0));
    }
    await scenarios.hot(100);
    for (const logins of [undefined, SLOW_LOGINS]) {
      const lost = await scenarios.lost(1, logins);
      assert.ok(lost.offline > 0 && lost.nearlyAll !== null && lost.nearlyAll < LEASE_S + 10, `${lost.nearlyAll} s`);
    }
    await scenarios.balanced();
    assert.ok((await scenarios.cutOff(1, 3 * TTL_MS)).offline > 0);
    await scenarios.balanced();
    const { offline } = await scenarios.failover(TTL_MS / 3);
    assert.equal(offline, 0, 'a Redis that is away for less than a lease costs no login');
    const emptied = await scenarios.emptied();
    assert.ok(emptied.nearlyAll !== null && emptied.nearlyAll < 2 * LEASE_S);
    assert.equal(emptied.offline, DEVICES);
    assert.ok((await scenarios.rolling()).logins >= DEVICES);
  });

  it('detects a device that two processes use at the same time', async () => {
    const world = new ScaleWorld(1);
    const open = (): void =>
      void world.phones.open(
        'd0',
        1,
        () => true,
        () => {},
      );
    open();
    open();
    assert.deepEqual(world.phones.onTwoNodes, ['d0']);
  });
});

it('a simulated device writes to the store as often per login as a device on a real gateway', async (t) => {
  const { login, text } = await gatewayWork(t);
  assert.equal(login.byCollection.get('devices'), 2, 'one write for the owner, one for the connection');
  assert.ok(text.writes > 10);
});
