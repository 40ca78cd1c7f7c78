import assert from 'node:assert/strict';
import { it } from 'node:test';
import { campaign } from '../../../../actors/campaign/behaviour/campaign.ts';
import type { CampaignState, Snapshot } from '../../../../actors/campaign/protocol.ts';
import { newCampaign } from '../../../../actors/services/campaigns/campaigns.ts';

const NOW = 1_800_000_000_000;
const COUNTED_MS_AGO = 300;

const row = { ...newCampaign('t', NOW), status: 'running' as const };
const [begun] = campaign.start({ tenantId: 't', campaignId: row._id, epoch: 1 }, NOW);

/** Handles a poll that finds one message in transit and these counts, or no counts (null). */
function looked(state: CampaignState, out: { readonly sent: number; readonly failed: number } | null) {
  const window = { open: null, opensAt: null, closesAt: null, isOverrun: false };
  const counts = out && { total_recipients: 100, sent_count: out.sent, failed_count: out.failed, skipped_count: 0 };
  const snapshot: Snapshot = {
    row,
    ahead: 1,
    hasPending: false,
    blocker: null,
    isStranded: false,
    stuck: null,
    lacksAttestation: false,
    lacksRoom: false,
    isSuspended: false,
    isReady: true,
    window,
    counts,
  };
  return campaign.handle({ ...state, phase: 'loading', again: false }, { type: 'snapshotLoaded', snapshot }, NOW);
}

it('the campaign counter recounts within a second if the last message finishes right after a count', () => {
  const [, ...effects] = looked({ ...begun, countedAt: NOW - COUNTED_MS_AGO }, null);
  const looks = effects.flatMap((effect) => (effect.do === 'after' ? [effect.ms] : []));
  assert.deepEqual(looks, [1_000 - COUNTED_MS_AGO]);
});

it('the campaign counter does not count messages rejected by the quota as bad numbers', () => {
  const statusAfter = (state: CampaignState, failed: number) => {
    const [next, ...effects] = looked(state, { sent: 0, failed });
    return { next, isPaused: effects.some((effect) => effect.do === 'changeStatus') };
  };
  const first = statusAfter(begun, 40);
  assert.equal(first.isPaused, false);
  const [refused] = campaign.handle({ ...first.next, phase: 'acting' }, { type: 'acted', hasMoved: true, quotaRefused: 40 }, NOW);
  assert.equal(statusAfter(refused, 40).isPaused, false);
  const [failed] = campaign.handle({ ...first.next, phase: 'acting' }, { type: 'storeFailed' }, NOW);
  assert.equal(statusAfter(failed, 40).isPaused, false);
  assert.equal(statusAfter(statusAfter(failed, 0).next, 40).isPaused, true);
});
