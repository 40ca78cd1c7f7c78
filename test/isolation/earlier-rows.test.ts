import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Doc } from '../../store/port.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { optionalFields } from '../support/stored-fields.ts';
import { embedded } from '../support/stores.ts';
import { deviceOf, furnished, ROOMY } from './belongings.ts';
import { rowsOfTenants, view } from './requests.ts';

it('records that an earlier version stored without newer fields still produce valid responses', async (t) => {
  const receiver = await aReceiver(t);
  const gateway = await aGateway(t, { kind: embedded, limits: NEVER_FULL, config: { egress_allow: [receiver.place], plans: ROOMY } });
  const acme = await gateway.signUp('Acme', '+628110000999');
  const things = await furnished(gateway, acme, 'Acme', receiver.url);
  const own = new Map([...things, ...(await deviceOf(gateway, acme, 'Acme', '6281100009991'))]);
  const rows = rowsOfTenants(gateway);
  const statusesOf = async () =>
    Object.entries(await view(gateway, acme.api, rows, own)).map(([id, seen]) => [id, Array.isArray(seen) ? seen[0] : seen]);
  const before = await statusesOf();
  let stripped = 0;
  for (const [name, fields] of optionalFields()) {
    if (fields.length === 0) continue;
    const collection = gateway.store.collection<Doc>({ name, indexes: [] });
    const { modifiedCount } = await collection.updateMany({}, { $unset: Object.fromEntries(fields.map((field) => [field, 1])) });
    stripped += modifiedCount;
  }
  assert.ok(stripped > 20, `${stripped} rows`);
  assert.deepEqual(await statusesOf(), before);
});
