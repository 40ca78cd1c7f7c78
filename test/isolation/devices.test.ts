import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore } from '../support/stores.ts';
import { deviceOf, furnished, ROOMY } from './belongings.ts';
import { asked, naming, rowsOfTenants, view } from './requests.ts';
import { shownByTools, toolsNaming, UNKNOWN_TO_TOOLS, used } from './tools.ts';

/** One by one in a bulk, and what is left of a list that such a device is asked for. */
const REFUSED = /→ (403 |404 |202 \{"results":\[\{"error":"Not found)|^listInbox .*"chats":\[\]/;

eachStore('a key for one device', (kind) => {
  it('cannot read or change other devices of the business through any operation', async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL, config: { egress_allow: [receiver.place], plans: ROOMY } });
    const tenant = await gateway.signUp();
    const things = await furnished(gateway, tenant, 'Zebra', receiver.url);
    const secret = await deviceOf(gateway, tenant, 'Tapir', '6281100000001');
    const own = new Map([...things, ...(await deviceOf(gateway, tenant, 'Okapi', '6281100000002'))]);
    const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'Shop', session_ids: [own.get('/v1/sessions')] })).body;
    const api = gateway.as(key);
    const rows = rowsOfTenants(gateway).filter(({ access }) => access === 'bearer');
    const ofDevices = rows.filter(({ path }) => /^\/v1\/(sessions|blasts|rotators|inbox|media)/.test(path));
    const before = await view(gateway, tenant.api, ofDevices, secret);

    const shown = JSON.stringify(Object.entries(await view(gateway, api, rows, own)));
    assert.doesNotMatch(shown, /Tapir/);
    assert.match(shown, /Okapi/);
    assert.equal((await api('GET', `/v1/media/${own.get('/v1/media')}`)).status, 200, 'its own files it reads');
    assert.equal((await api('GET', `/v1/media/${things.get('/v1/media')}`)).status, 200, 'and those of the whole business');
    assert.equal((await api('DELETE', `/v1/media/${things.get('/v1/media')}`)).status, 403, 'but removes none of these');
    for (const one of naming(rows, secret, own)) {
      const { status, body } = await gateway.during(asked(api, one));
      const told = `${one.title} → ${status} ${JSON.stringify(body)}`;
      assert.doesNotMatch(told, /Tapir/);
      assert.match(told, REFUSED);
    }
    for (const one of toolsNaming(secret, own)) assert.match(await gateway.during(used(api, one)), UNKNOWN_TO_TOOLS);
    const byTools = await gateway.during(shownByTools(api, own));
    assert.doesNotMatch(byTools, /Tapir/);
    assert.match(byTools, /Okapi/);
    assert.deepEqual(await view(gateway, tenant.api, ofDevices, secret), before);
  });
});
