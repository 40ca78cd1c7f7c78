import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const NOBODY = '01JZX5ZB4T8QKX3N9V7C2M6D1E';

eachStore('an API key for one device', (kind) => {
  it('can read business-wide data but cannot change it', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const device = await linked(PHONE);
    const { key } = (await api('POST', '/v1/api-keys', { name: 'shop', session_ids: [device.id] })).body;
    const shop = gateway.as(key);
    for (const path of ['contacts', 'consent', 'consent/config', 'templates', 'tags', 'segments', 'contact-groups', 'settings', 'profile'])
      assert.equal((await shop('GET', `/v1/${path}`)).status, 200, path);
    const forbidden = [
      ['PUT', '/v1/settings', { away: { enabled: true, text: 'Closed' } }],
      ['PUT', '/v1/profile', { business_name: 'Mine' }],
      ['POST', '/v1/onboarding/packs/retail/apply', { session_id: device.id }],
      ['POST', '/v1/contacts', { phone: ANNA }],
      ['PATCH', `/v1/contacts/${NOBODY}`, { name: 'X' }],
      ['DELETE', `/v1/contacts/${NOBODY}`],
      ['POST', '/v1/contacts/import', { rows: [] }],
      ['POST', '/v1/contacts/bulk', { action: 'delete', ids: [NOBODY] }],
      ['PUT', `/v1/consent/${ANNA}`, { status: 'opted_out' }],
      ['POST', '/v1/consent/bulk', { phones: [ANNA], status: 'opted_out' }],
      ['PUT', '/v1/consent/config', {}],
      ['POST', '/v1/templates', {}],
      ['POST', '/v1/segments', {}],
      ['POST', '/v1/tags', { name: 'X' }],
      ['DELETE', `/v1/tags/${NOBODY}`],
      ['GET', '/v1/webhooks'],
      ['POST', '/v1/webhooks', {}],
      ['POST', '/v1/sessions', {}],
    ] as const;
    for (const [method, path, body] of forbidden) {
      const answer = await shop(method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN'], `${method} ${path}`);
    }
    assert.equal((await shop('PATCH', device.path, { name: 'Counter' })).status, 200, 'its own device it does');
  });
});
