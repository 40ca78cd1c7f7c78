import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Connection, ConnectionEvent, Network } from '../../../../actors/network/port.ts';
import { eachStore } from '../../../support/stores.ts';
import { aWebhookFixture } from '../webhooks/webhooks-fixture.ts';

/** The network, and a way to put words into its mouth. */
function tellingNetwork() {
  const hearers: ((event: ConnectionEvent) => void)[] = [];
  const acknowledged: string[] = [];
  return {
    acknowledged,
    say: (event: ConnectionEvent): void => hearers.at(-1)?.(event),
    over: (network: Network): Network => ({
      ...network,
      open(order, receive) {
        hearers.push(receive);
        const line = network.open(order, receive);
        return new Proxy(line, {
          get(target, name) {
            if (name === 'acknowledge') return (token: string) => void acknowledged.push(token);
            const value: unknown = Reflect.get(target, name);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }) satisfies Connection;
      },
    }),
  };
}

eachStore('a device restricted by the network', (kind) => {
  it('publishes the start and the end of its restriction to subscribed webhooks', async (t) => {
    const network = tellingNetwork();
    const { gateway, api, device, receiver, subscribe } = await aWebhookFixture(t, kind, {}, network.over);
    await subscribe(['session.restricted']);
    const until = gateway.clock.now() + 3_600_000;
    const restriction = { until, reason: 'new_chats', new_chats_used: 10, new_chats_quota: 10 };
    network.say({ type: 'restricted', token: 'r1', until, reason: 'new_chats', newChatsUsed: 10, newChatsQuota: 10 });
    await gateway.until('it is told', () => receiver.received.length === 1);
    assert.deepEqual((await api('GET', device.path)).body.restriction, restriction);
    network.say({ type: 'lifted', token: 'r2' });
    await gateway.until('its end is told', () => receiver.received.length === 2);
    const seen = receiver.of('session.restricted').map(({ body }) => [body.session_id, body.data]);
    assert.deepEqual(seen, [
      [device.id, { restriction }],
      [device.id, { restriction: null }],
    ]);
    assert.deepEqual(
      network.acknowledged.filter((token) => token.startsWith('r')),
      ['r1', 'r2'],
    );
    assert.equal((await api('GET', device.path)).body.restriction, null);
  });

  it('publishes the end of its restriction on time, even if the network does not report it', async (t) => {
    const network = tellingNetwork();
    const { gateway, api, device, receiver, subscribe } = await aWebhookFixture(t, kind, {}, network.over);
    await subscribe(['session.restricted']);
    const shown = async () => [
      (await api('GET', device.path)).body.restriction,
      (await api('GET', `${device.path}/health`)).body.restriction,
    ];
    const until = gateway.clock.now() + 60_000;
    network.say({ type: 'restricted', token: 'r1', until, reason: 'new_chats', newChatsUsed: 10, newChatsQuota: 10 });
    await gateway.until('it is told', () => receiver.received.length === 1);
    await gateway.clock.advanceTo(until - 1_000);
    assert.deepEqual(
      (await shown()).map(({ until }) => until),
      [until, until],
    );
    await gateway.clock.advance(2_000);
    assert.deepEqual(await shown(), [null, null]);
    await gateway.until('its end is told', () => receiver.received.length === 2);
    assert.deepEqual(receiver.of('session.restricted').at(-1)?.body.data, { restriction: null });
  });

  it('publishes the end of a restriction that expired while the device was on no node', async (t) => {
    const network = tellingNetwork();
    const { gateway, api, device, receiver, subscribe, acme } = await aWebhookFixture(t, kind, {}, network.over);
    await subscribe(['session.restricted']);
    const until = gateway.clock.now() + 60_000;
    network.say({ type: 'restricted', token: 'r1', until, reason: 'new_chats', newChatsUsed: 10, newChatsQuota: 10 });
    await gateway.until('it is told', () => receiver.received.length === 1);
    await api('POST', `${device.path}/disconnect`);
    await gateway.node.actors.shutdown();
    gateway.clock.jump(120_000);
    const restarted = await gateway.crash();
    const now = restarted.as(acme.tokens.token);
    assert.equal((await now('GET', device.path)).body.restriction, null);
    await now('POST', `${device.path}/connect`);
    await restarted.until('its end is told', () => receiver.received.length === 2);
    assert.deepEqual(receiver.of('session.restricted').at(-1)?.body.data, { restriction: null });
  });
});
