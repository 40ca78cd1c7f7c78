import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { deviceOf, furnished, ROOMY, SESSIONS } from '../isolation/belongings.ts';
import { aGateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore } from '../support/stores.ts';
import { NETWORK_SETUPS, onTheNetwork } from './printed/network-setups.ts';
import { operationsOf, sent } from './printed/operations.ts';
import { NOT_TRIED, type Scene, SETUPS, STRIPE } from './printed/setups.ts';

eachStore('the OpenAPI document', (kind) => {
  it('contains only example requests that succeed with a documented status', async (t) => {
    const receiver = await aReceiver(t);
    const config = { egress_allow: [receiver.place], plans: ROOMY, ...STRIPE };
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL, config });
    const acme = await gateway.signUp('Acme', '+628110000999');
    const things = await furnished(gateway, acme, 'Acme', receiver.url);
    const own = new Map([...things, ...(await deviceOf(gateway, acme, 'Acme', '6281100009991'))]);
    const path = `${SESSIONS}/${own.get(SESSIONS)}`;
    const ids = new Map([...own, ...(await onTheNetwork(gateway, acme, path))]);
    const scene: Scene = { gateway, acme, ids, path };
    const spare = (await acme.api('POST', SESSIONS, {})).body.id;
    const operations = operationsOf((await gateway.api('GET', '/openapi.json')).body).filter(({ id }) => !(id in NOT_TRIED));
    assert.ok(operations.length > 250, `${operations.length} operations`);
    const refused: string[] = [];
    for (const operation of operations) {
      const prepared = (await { ...SETUPS, ...NETWORK_SETUPS }[operation.id]?.(scene)) ?? {};
      const caller = operation.isOperators ? gateway.operator : acme.api;
      const { status, body } = await gateway.during(sent(caller, ids, spare, operation, prepared));
      if (status >= 400 || !operation.statuses.includes(status)) refused.push(`${operation.id} → ${status} ${JSON.stringify(body)}`);
    }
    assert.deepEqual(refused, []);
  });
});
