import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changeOf } from '../../../actors/campaign/behaviour/status-changes.ts';
import type { Order } from '../../../actors/campaign/protocol.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { recipientsIn } from '../../../store/campaigns/recipients.ts';
import { aGateway, type Gateway } from '../../support/gateway.ts';
import { eachStore } from '../../support/stores.ts';
import { aCampaign, aCampaignFixture, phones, reachedOf } from './campaign-fixture.ts';

/** Several steps. */
const MANY = 4_000;

eachStore('cancelling a campaign with many recipients', (kind) => {
  it('returns before all recipients are updated, and completes even after a crash', async (t) => {
    let gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const path = await aCampaign(gateway, fixture, phones(MANY));
    const id = path.split('/').at(-1) ?? '';
    const isMarked = async (): Promise<boolean> => !(await recipientsIn(gateway.store).hasPending(id, null));

    const { status, body } = await fixture.api('POST', `${path}/cancel`);
    assert.equal(await isMarked(), false);
    assert.deepEqual([status, body.status, body.total_recipients, body.skipped_count], [200, 'cancelled', MANY, MANY]);
    const { recipients } = (await fixture.api('GET', `${path}/recipients?status=skipped&limit=1`)).body;
    assert.deepEqual([recipients[0].status, recipients[0].error], ['skipped', 'cancelled']);
    assert.deepEqual((await fixture.api('GET', `${path}/recipients?status=pending`)).body.recipients, []);
    const [, ...lines] = (await fixture.api('GET', `${path}/report`)).body.trim().split('\n');
    assert.equal(lines.filter((line: string) => line.includes('"skipped","cancelled"')).length, MANY);

    gateway = await gateway.crash();
    await gateway.until('all of them are marked', isMarked);
    const { skipped_count } = (await gateway.as(fixture.token)('GET', path)).body;
    assert.equal(skipped_count, MANY);
  });
});

eachStore('a campaign whose cancellation was interrupted by a crash', (kind) => {
  it('refunds its quota and sends no more messages once it is deleted', async (t) => {
    let gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const people = phones(30);
    const path = await aCampaign(gateway, fixture, people);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('two have it', () => reachedOf(gateway, people) >= 2);
    gateway = await gateway.crash();
    const api = gateway.as(fixture.token);
    await cancelledOnly(gateway, path);
    const reached = reachedOf(gateway, people);
    assert.equal((await api('GET', path)).body.status, 'cancelled');
    assert.equal((await api('DELETE', path)).status, 200);
    await gateway.clock.advance(300_000);
    assert.ok(reachedOf(gateway, people) <= reached + 1, `${reachedOf(gateway, people)} after ${reached}`);
    assert.equal((await api('GET', '/v1/usage')).body.messages.used, reachedOf(gateway, people));
  });
});

/** As a process leaves it that dies right after it has stored the status. */
async function cancelledOnly({ operator, store, clock }: Gateway, path: string): Promise<void> {
  const [tenant] = (await operator('GET', '/v1/admin/tenants')).body.tenants;
  const campaigns = campaignsIn(store);
  const row = (await campaigns.find(tenant.id, path.split('/').at(-1) ?? ''))!;
  const { move, patch } = changeOf({ type: 'cancel' } as Order, clock.now());
  assert.ok(await campaigns.move({ tenantId: tenant.id, campaignId: row._id, epoch: row.epoch }, move, patch));
}
