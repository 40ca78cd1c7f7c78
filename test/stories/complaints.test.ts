import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DEFAULT_COMPLAINT_LIMITS } from '../../actors/domain/health/complaints.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf, textsOn } from '../actors/campaign/campaign-fixture.ts';
import { aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const MINUTE = 60_000;

eachStore('complaints about campaigns', (kind) => {
  it("pause the device's campaigns and give a reason, until the sender resumes them", async (t) => {
    let gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { device } = fixture;
    const tenantId = (await gateway.operator('GET', '/v1/admin/tenants')).body.tenants[0].id;
    const people = phones(60);
    const says = (phone: string, body: string) => gateway.sandbox.phone(phone).write({ to: PHONE, content: { type: 'text', body } });
    const first = await aCampaign(gateway, fixture, people);
    await fixture.api('POST', `${first}/start`, {});
    await gateway.until('all are reached', async () => (await fixture.api('GET', first)).body.status === 'completed');

    // Whoever was not written to counts for nothing, and nobody counts twice.
    for (const phone of phones(70).slice(60)) says(phone, 'STOP');
    for (const word of ['STOP', 'START', 'STOP', 'START', 'STOP']) {
      says(people[0] ?? '', word);
      await gateway.during(device.status());
    }
    await pass(gateway, 3 * MINUTE);
    assert.deepEqual(await reasons(gateway, tenantId), []);

    for (const phone of people.slice(1, 4)) says(phone, 'STOP');
    await pass(gateway, 3 * MINUTE);
    assert.deepEqual(await reasons(gateway, tenantId), ['opt_outs 67']);
    const others = phones(120).slice(100);
    const second = await aCampaign(gateway, fixture, others);
    const paused = async () => (await fixture.api('GET', second)).body;
    await fixture.api('POST', `${second}/start`, {});
    await gateway.until('it pauses', async () => (await paused()).status === 'paused');
    assert.deepEqual([(await paused()).pause_reason, reachedOf(gateway, others)], ['complaints', 0]);

    // Another process knows it, too.
    gateway = await gateway.crash();
    const api = gateway.as(fixture.token);
    assert.equal((await api('POST', `${second}/resume`, {})).status, 200);
    await pass(gateway, 4 * MINUTE);
    assert.deepEqual([(await api('GET', second)).body.status, (await api('GET', second)).body.pause_reason], ['completed', null]);
    assert.equal(reachedOf(gateway, others), others.length);
    assert.deepEqual(textsOn(gateway, people[1] ?? '').filter((text) => text === 'Hello').length, 1);
  });

  it('include the people whom the account has blocked, unless it has unblocked them', async (t) => {
    const gateway = await aGateway(t, { kind, config: { complaint_limits: { ...DEFAULT_COMPLAINT_LIMITS, blocks: 50 } } });
    const { api, device } = await aCampaignFixture(gateway);
    const tenantId = (await gateway.operator('GET', '/v1/admin/tenants')).body.tenants[0].id;
    const people = phones(50);
    const path = await aCampaign(gateway, { api, device, token: '' }, people);
    await api('POST', `${path}/start`, {});
    await gateway.until('all are reached', async () => (await api('GET', path)).body.status === 'completed');
    for (const phone of people.slice(0, 4))
      assert.equal((await gateway.during(api('POST', `${device.path}/blocklist`, { phone: `+${phone}` }))).status, 201);
    await pass(gateway, 3 * MINUTE);
    assert.deepEqual(await reasons(gateway, tenantId), ['blocks 80']);
    for (const phone of people.slice(0, 2)) await gateway.during(api('DELETE', `${device.path}/blocklist/${phone}`));
    await pass(gateway, 70 * MINUTE);
    assert.deepEqual(await reasons(gateway, tenantId), []);
  });
});

const pass = ({ clock }: Gateway, ms: number): Promise<void> => clock.advance(ms);

async function reasons({ operator }: Gateway, tenantId: string): Promise<readonly string[]> {
  const { body } = await operator('GET', `/v1/admin/tenants/${tenantId}/health`);
  return body.signs[0].reasons.map(({ what, figure }: { what: string; figure: number }) => `${what} ${figure}`);
}
