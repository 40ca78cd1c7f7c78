import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CampaignEffectsDeps } from '../../../actors/campaign/effects/campaign-effects.ts';
import { campaignActorId, campaignKind } from '../../../actors/campaign/register.ts';
import { newCampaign } from '../../../actors/services/campaigns/campaigns.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { eachStore } from '../../support/stores.ts';

const LONG_RUNNING = 1_001;
const [BUSY, OTHER] = ['busy', 'other'];

eachStore('the list of campaigns to run', (kind) => {
  it('includes a campaign that is due now, even if another tenant has many campaigns that became due earlier', async (t) => {
    const store = await kind.fresh(t);
    const campaigns = campaignsIn(store);
    await store.prepare();
    const clock = new VirtualClock();
    const now = clock.now();
    const running = Array.from({ length: LONG_RUNNING }, () => ({ ...newCampaign(BUSY, now), status: 'running' as const, due_at: 1 }));
    await Promise.all(running.map((row) => campaigns.create(row)));
    const draft = { ...newCampaign(OTHER, now), scheduled_at: now, due_at: now };
    const later = { ...newCampaign(OTHER, now), scheduled_at: now + 3_600_000, due_at: now + 3_600_000 };
    for (const row of [draft, later]) await campaigns.create(row);
    const { wanted } = campaignKind({ campaigns, clock } as unknown as CampaignEffectsDeps);
    const ids = (await wanted()).map(({ id }) => id);
    assert.deepEqual(new Set(ids), new Set([...running, draft].map(campaignActorId)));
  });
});
