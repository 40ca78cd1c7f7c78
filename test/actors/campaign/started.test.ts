import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newCampaign } from '../../../actors/services/campaigns/campaigns.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { aGateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf } from './campaign-fixture.ts';

const MAX_STARTED = 200;
const MINUTE = 60_000;

eachStore("a tenant's running and paused campaigns", (kind) => {
  it('cannot exceed 200, so another start is rejected and a scheduled campaign waits', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const { id: tenantId } = (await gateway.operator('GET', '/v1/admin/tenants')).body.tenants[0];
    const [anna, budi] = phones(2) as [string, string];
    const first = await aCampaign(gateway, fixture, [anna]);
    const scheduled = await aCampaign(gateway, fixture, [budi], { scheduled_at: gateway.clock.now() + 5 * MINUTE });
    const campaigns = campaignsIn(gateway.store);
    const started = Array.from({ length: MAX_STARTED }, (_, nth) => ({
      ...newCampaign(tenantId, gateway.clock.now()),
      ...{ session_id: fixture.device.id, name: `Hello ${nth}`, body: 'Hello' },
      status: nth % 2 === 0 ? ('running' as const) : ('paused' as const),
    }));
    await Promise.all(started.map((row) => campaigns.create(row)));

    const refused = await api('POST', `${first}/start`, {});
    assert.deepEqual([refused.status, refused.body.code], [402, 'LIMIT_REACHED']);
    await gateway.clock.advance(10 * MINUTE);
    const statuses = async () => [(await api('GET', first)).body.status, (await api('GET', scheduled)).body.status];
    assert.deepEqual([await statuses(), reachedOf(gateway, [anna, budi])], [['draft', 'draft'], 0]);
    const whyItWaits = async () => (await api('GET', scheduled)).body.error;
    assert.equal(await whyItWaits(), 'limit_reached');

    const { status, body } = await api('POST', `/v1/blasts/${started[1]?._id}/cancel`);
    assert.equal(status, 200, JSON.stringify(body));
    await gateway.until('the one that waited is over', async () => (await statuses())[1] === 'completed');
    assert.deepEqual([reachedOf(gateway, [budi]), await whyItWaits()], [1, null]);
    assert.equal((await api('POST', `${first}/start`, {})).status, 200);
  });
});
