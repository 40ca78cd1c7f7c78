import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Network } from '../../../../actors/network/port.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const SECOND = 1_000;

eachStore('a receipt that arrives just before the process crashes', (kind) => {
  it('is processed after a restart', async (t) => {
    assert.deepEqual(await receivedAndDied(t, kind, dyingWhenReceived), ['sent', 'read']);
  });

  it('is lost in a test variant that acknowledges receipts before they are stored', async (t) => {
    assert.deepEqual(await receivedAndDied(t, kind, acknowledgingEarly), ['sent', 'sent']);
  });
});

type Dying = (network: Network, isDying: () => boolean) => Network;

/** The status of a message that was read, when its process is gone and when the next has been online for a while. */
async function receivedAndDied(scope: Scope, kind: StoreKind, dying: Dying): Promise<string[]> {
  let isDying = true;
  const gateway = await aGateway(scope, { kind, network: (sandbox) => dying(sandbox.network(), () => isDying) });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const id = await device.text(ANNA, 'Hi');
  await gateway.until('it is sent', async () => (await device.message(id)).status === 'sent');
  await gateway.clock.advance(SECOND);
  const before = (await device.message(id)).status;
  isDying = false;
  const restarted = await gateway.crash();
  const api = restarted.as(acme.tokens.token);
  await restarted.until('it is online', async () => (await api('GET', `${device.path}/health`)).body.reconnects_24h > 0);
  await restarted.clock.advance(SECOND);
  return [before, (await api('GET', `${device.path}/messages/${id}`)).body.status];
}

/** Receipts reach the process, and nothing that it does about them reaches the store. */
function dyingWhenReceived(network: Network, isDying: () => boolean): Network {
  return {
    ...network,
    open: (order, receive) =>
      network.open(order, (event) => {
        if (event.type !== 'receipt' || !isDying()) receive(event);
      }),
  };
}

function acknowledgingEarly(network: Network, isDying: () => boolean): Network {
  return {
    ...network,
    open(order, receive) {
      const line = network.open(order, (event) => {
        if (event.type !== 'receipt' || !isDying()) receive(event);
        else line.acknowledge(event.token);
      });
      return line;
    },
  };
}
