import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hired } from '../actors/services/agents/agents-fixture.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { embedded } from '../support/stores.ts';
import { deviceOf, furnished, ROOMY } from './belongings.ts';
import { about, asked, rowsOfTenants } from './requests.ts';

/** What no agent may, by the contract. */
const NOT_FOR_AGENTS = [
  /^DELETE \/v1\/(contacts|templates|segments|tags|contact-groups|attributes)\//,
  /^\w+ .*\/bulk\b/,
  /^\w+ \/v1\/(contacts\/import|\w+\/export\b|blasts|settings|api-keys|webhooks|store-integrations|billing|privacy|audit|account|ai-reply)/,
  /^\w+ \/v1\/sessions\/\{sessionId\}\/(recurring|auto-reply)/,
  /^(POST|PUT|PATCH|DELETE) \/v1\/(segments|templates|tags|contact-groups|attributes|profile|consent\/config|agents|assignment|rotators)(\/\{id\})?$/,
  /^\w+ \/v1\/analytics\/(?!agents|answers)/,
];
/** What a key for some devices may not: to change what is of the whole business, and what brings its data elsewhere. */
const NOT_FOR_DEVICE_KEYS = [
  /^(POST|PUT|PATCH|DELETE) \/v1\/(contacts|consent|templates|tags|segments|contact-groups|attributes|settings|profile|onboarding|agents)(?!\/(preview|\{id\}\/preview))/,
  /^\w+ \/v1\/(webhooks|store-integrations|billing\/(checkout|cancel|resume|retry)|privacy|audit|account|api-keys|ai-reply|analytics(?!\/(devices|costs)))/,
];

it('operations that do not allow agents or device keys reject them', async (t) => {
  const receiver = await aReceiver(t);
  const gateway = await aGateway(t, { kind: embedded, limits: NEVER_FULL, config: { egress_allow: [receiver.place], plans: ROOMY } });
  const tenant = await gateway.signUp();
  const things = await furnished(gateway, tenant, 'Zebra', receiver.url);
  const own = new Map([...things, ...(await deviceOf(gateway, tenant, 'Okapi', '6281100000002'))]);
  const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'Shop', session_ids: [own.get('/v1/sessions')] })).body;
  const dewi = await hired(gateway, tenant.api, 'Dewi', '6281311110001');
  const rows = rowsOfTenants(gateway);
  const named = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

  for (const pattern of NOT_FOR_AGENTS) assert.deepEqual(rows.filter((row) => row.agents && pattern.test(named(row))).map(named), []);
  for (const pattern of NOT_FOR_DEVICE_KEYS)
    assert.deepEqual(rows.filter((row) => row.deviceKeys && pattern.test(named(row))).map(named), []);

  const callers = [
    { api: dewi.api, rows: rows.filter(({ agents }) => !agents) },
    { api: gateway.as(key), rows: rows.filter(({ access, deviceKeys }) => access !== 'bearer' || !deviceKeys) },
  ];
  for (const { api, rows: closed } of callers) {
    assert.ok(closed.length > 100, `${closed.length} rows`);
    for (const row of closed) {
      const { status, body } = await gateway.during(asked(api, about(row, own)));
      assert.equal(status, 403, `${named(row)} → ${status} ${JSON.stringify(body)}`);
      assert.match(body.code, /^(FORBIDDEN|KEY_MANAGEMENT_REQUIRES_LOGIN)$/);
    }
  }
});
