import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Network } from '../../actors/network/port.ts';
import { aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

eachStore('a device that loses its connection', (kind) => {
  it('reports and counts the outage, and reconnects automatically', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);

    gateway.sandbox.device(PHONE).fault({ kind: 'drop', forMs: 5 * SECOND });
    await gateway.until('it is offline', async () => (await device.status()) === 'disconnected');
    assert.equal((await acme.api('GET', `${device.path}/health`)).body.reason, 'status_428');
    await gateway.until('it is back', async () => (await device.status()) === 'connected');
    const health = (await acme.api('GET', `${device.path}/health`)).body;
    assert.equal(health.reason, null);
    assert.equal(health.reconnects_24h, 1);
    assert.equal(health.node, 'n1');
  });

  it('waits longer after each failure, up to five minutes, without flooding the network', async (t) => {
    const tries: number[] = [];
    let clock = (): number => 0;
    const gateway = await aGateway(t, {
      kind,
      network: (sandbox) => {
        const network = sandbox.network();
        const open: Network['open'] = (order, receive) => {
          tries.push(clock());
          return network.open(order, receive);
        };
        return { ...network, open };
      },
    });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);

    clock = () => gateway.clock.now();
    tries.length = 0;
    gateway.sandbox.device(PHONE).fault({ kind: 'drop', forMs: 25 * MINUTE });
    await gateway.clock.advance(25 * MINUTE);
    const pauses = tries.slice(1).map((at, i) => at - tries[i]!);
    assert.ok(Math.max(...pauses) <= 5 * MINUTE, `paused ${Math.max(...pauses)} ms`);
    assert.ok(tries.length >= 8 && tries.length <= 25, `${tries.length} tries in 25 minutes`);
    assert.ok(
      pauses.slice(0, 3).every((ms) => ms <= 8 * SECOND),
      `the first pauses: ${pauses.slice(0, 3)}`,
    );
    await gateway.clock.advance(6 * MINUTE);
    await gateway.until('it is back', async () => (await device.status()) === 'connected');
  });

  it('does not reconnect repeatedly if another client takes over its login', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const before = logins(gateway, PHONE);

    for (let minute = 0; minute < 30; minute += 1) {
      gateway.sandbox.device(PHONE).fault({ kind: 'replaced' });
      await gateway.clock.advance(MINUTE);
    }
    assert.ok(logins(gateway, PHONE) - before <= 4, `${logins(gateway, PHONE) - before} logins in half an hour`);
    assert.equal((await acme.api('GET', `${device.path}/health`)).body.reason, 'replaced');
  });

  it('stays offline after its number has been banned, until it is linked again', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    gateway.sandbox.device(PHONE).fault({ kind: 'ban', forMs: MINUTE });
    await gateway.until('it failed', async () => (await device.status()) === 'failed');
    const before = logins(gateway, PHONE);
    await gateway.clock.advance(10 * MINUTE);
    assert.equal(logins(gateway, PHONE), before);
    assert.equal((await acme.api('GET', `${device.path}/health`)).body.reason, 'banned');
    assert.equal((await acme.api('POST', `${device.path}/connect`)).body.status, 'pending');
  });

  it('stays offline after the owner disconnects it, even across restarts, until the owner reconnects it', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    assert.equal((await acme.api('POST', `${device.path}/disconnect`)).body.status, 'disconnected');

    const restarted = await gateway.crash();
    const api = restarted.as(acme.tokens.token);
    await restarted.clock.advance(10 * MINUTE);
    assert.equal((await api('GET', device.path)).body.status, 'disconnected');
    await api('POST', `${device.path}/connect`);
    await restarted.until('it is back', async () => (await api('GET', device.path)).body.status === 'connected');
    assert.equal((await api('POST', `${device.path}/restart`)).body.status, 'disconnected');
    await restarted.until('it is back again', async () => (await api('GET', device.path)).body.status === 'connected');
  });
});

const logins = ({ sandbox }: Gateway, phone: string): number => sandbox.journal.of('login').filter((entry) => entry.phone === phone).length;
