import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aWebhookFixture } from '../actors/services/webhooks/webhooks-fixture.ts';
import { ANNA, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

eachStore("a tenant's health", (kind) => {
  it('is shown to the operator with reasons, worst first, and to the tenant as advice', async (t) => {
    const { gateway, acme, api, device, receiver, subscribe } = await aWebhookFixture(t, kind);
    const { operator } = gateway;
    await subscribe(['health.changed']);
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    const health = async (query = '') => (await operator('GET', `/v1/admin/tenants/${acme.id}/health${query}`)).body;
    const worst = async () => (await operator('GET', '/v1/admin/tenants?sort=worst')).body.tenants;

    const quiet = await health();
    assert.deepEqual([quiet.totals.failure_rate, quiet.daily.length, quiet.signs[0].color], [null, 7, 'green']);
    await device.text(ANNA, 'Hello');
    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Hi' } });
    await gateway.until('both are counted', async () => {
      const { totals } = await health();
      return totals.read === 1 && totals.received === 1;
    });
    const busy = await health('?days=30');
    assert.deepEqual(busy.totals, { sent: 1, received: 1, failed: 0, delivered: 1, read: 1, failure_rate: 0 });
    assert.deepEqual([busy.daily.length, busy.daily.at(-1).sent, busy.timezone, busy.name], [30, 1, 'Asia/Jakarta', 'Acme']);
    assert.deepEqual([busy.devices[0].id, busy.devices[0].phone, busy.devices[0].down], [device.id, PHONE, false]);

    gateway.sandbox.device(PHONE).fault({ kind: 'ban' });
    const [first, second] = await gateway.until('the operator sees it', async () => {
      const found = await worst();
      return found[0].color === 'red' && found;
    });
    assert.deepEqual([first.id, first.reasons[0].what, second.id, second.color], [acme.id, 'failed', globex.id, 'green']);
    const banned = await health();
    assert.deepEqual([banned.devices[0].status, banned.devices[0].down, banned.signs[0].device], ['failed', true, device.id]);
    const own = (await api('GET', `${device.path}/health`, undefined, { 'x-lang': 'en' })).body;
    assert.deepEqual([own.color, own.reasons[0].what], ['red', 'failed']);
    assert.match(own.reasons[0].advice, /Link the phone again/);
    await gateway.until('the event is delivered', () => receiver.of('health.changed').length === 1);
    assert.deepEqual(receiver.of('health.changed')[0]?.body.data.color, 'red');

    const names = async (query: string) =>
      (await operator('GET', `/v1/admin/tenants?${query}`)).body.tenants.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names('q=glob'), ['Globex']);
    assert.deepEqual(await names(`q=${acme.phone}&sort=worst`), ['Acme']);
    await operator('PATCH', `/v1/admin/tenants/${globex.id}`, { suspended: true });
    assert.deepEqual(await names('status=suspended&plan=free'), ['Globex']);
    assert.deepEqual(await names('limit=1&sort=worst'), ['Acme']);
    const unknown = await operator('GET', '/v1/admin/tenants?plan=nope');
    assert.deepEqual([unknown.status, unknown.body.details[0].path], [400, 'plan']);
    assert.equal((await operator('GET', `/v1/admin/tenants/${'0'.repeat(26)}/health`)).status, 404);
  });
});
