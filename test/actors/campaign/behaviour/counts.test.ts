import assert from 'node:assert/strict';
import { it } from 'node:test';
import { campaign } from '../../../../actors/campaign/behaviour/campaign.ts';
import type { CampaignState, Snapshot } from '../../../../actors/campaign/protocol.ts';
import { newCampaign } from '../../../../actors/services/campaigns/campaigns.ts';

const NOW = 1_800_000_000_000;
const COUNTED_MS_AGO = 300;

it('a campaign whose last message comes out just after a count counts again within a second', () => {
  const row = { ...newCampaign('t', NOW), status: 'running' as const };
  const [begun] = campaign.start({ tenantId: 't', campaignId: row._id, epoch: 1 }, NOW);
  const state: CampaignState = { ...begun, phase: 'loading', again: false, countedAt: NOW - COUNTED_MS_AGO };
  const window = { open: null, opensAt: null, closesAt: null, isOverrun: false };
  // It looked because of a hint; one message is still on its way.
  const snapshot: Snapshot = {
    row,
    ahead: 1,
    hasPending: false,
    blocker: null,
    isStranded: false,
    stuck: null,
    lacksAttestation: false,
    isSuspended: false,
    isReady: true,
    window,
    counts: null,
  };
  const [, ...effects] = campaign.handle(state, { type: 'snapshotLoaded', snapshot }, NOW);
  const looks = effects.flatMap((effect) => (effect.do === 'after' ? [effect.ms] : []));
  assert.deepEqual(looks, [1_000 - COUNTED_MS_AGO]);
});
