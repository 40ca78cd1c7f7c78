import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import type { Network } from '../../../../actors/network/port.ts';
import { boundLine } from '../../../../scripts/faults/watched.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const SECOND = 1_000;

eachStore('a deleted device', (kind) => {
  it('has its queued messages removed and their quota refunded', async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { messages: 2 } }) } });
    const acme = await gateway.signUp();
    const send = (path: string) => acme.api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'x', connect_only: false });
    const path = async () => `/v1/sessions/${(await acme.api('POST', '/v1/sessions', {})).body.id}`;
    const first = await path();
    assert.deepEqual([(await send(first)).body.status, (await send(first)).body.status], ['queued', 'queued']);
    assert.equal((await acme.api('DELETE', first)).status, 200);
    assert.equal((await send(await path())).body.status, 'queued');
  });

  it('does not delay a shutdown if the network never confirms the deletion or logout', async (t) => {
    const gateway = await aGateway(t, { kind, network: (sandbox) => neverLogsOut(sandbox.network()) });
    const acme = await gateway.signUp();
    const [device, shop] = [await acme.linked(PHONE), await acme.linked('6281100000002')];
    await acme.api('DELETE', device.path);
    assert.equal((await acme.api('GET', device.path)).status, 404);
    assert.equal((await acme.api('POST', `${shop.path}/logout`)).body.status, 'failed');
    const before = gateway.clock.now();
    await gateway.during(gateway.node.stop());
    assert.ok(gateway.clock.now() - before < 15 * SECOND);
  });
});

function neverLogsOut(network: Network): Network {
  return {
    ...network,
    open: (order, receive) => {
      const connection = network.open(order, receive);
      return { ...boundLine(connection), logOut: () => new Promise(() => {}) };
    },
  };
}
