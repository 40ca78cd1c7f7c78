import assert from 'node:assert/strict';
import { it } from 'node:test';
import { begun, changeOf, completed, failed, paused } from '../../../actors/campaign/behaviour/status-changes.ts';
import type { Order, StatusChange } from '../../../actors/campaign/protocol.ts';
import { newCampaign } from '../../../actors/services/campaigns/campaigns.ts';
import { CAMPAIGN_TRANSITIONS, type CampaignStatus, campaignMove } from '../../../store/campaigns/campaign-status.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { eachStore } from '../../support/stores.ts';

const NOW = 1_800_000_000_000;
const STATUSES = Object.keys(CAMPAIGN_TRANSITIONS) as CampaignStatus[];
const OWNER = { tenantId: 't', epoch: 3 };

const order = (type: Order['type']): StatusChange => {
  const common = { audit: null, replyTo: {} };
  return changeOf(type === 'start' ? { type, attestedAt: null, ...common } : { type, ...common }, NOW);
};

/** Everything that changes the status of a campaign. */
const CHANGES: Readonly<Record<string, StatusChange>> = {
  start: order('start'),
  pause: order('pause'),
  resume: order('resume'),
  cancel: order('cancel'),
  begun: begun(NOW, NOW),
  paused: paused('failure_rate', NOW),
  completed: completed(NOW),
  failed: failed('no_session', NOW),
};

/** Written out, because moves derive from the table: a wider table would also be followed. */
const MOVES = [
  'draft → cancelled',
  'draft → running',
  'paused → cancelled',
  'paused → running',
  'running → cancelled',
  'running → completed',
  'running → failed',
  'running → paused',
];

eachStore("a campaign's status", (kind) => {
  it('changes only along allowed transitions in every operation', async (t) => {
    const store = await kind.fresh(t);
    const campaigns = campaignsIn(store);
    await store.prepare();
    const made = new Set<string>();
    for (const [name, { move, patch }] of Object.entries(CHANGES))
      for (const status of STATUSES) {
        const campaignId = `${name} ${status}`;
        await campaigns.create({ ...newCampaign('t', NOW), _id: campaignId, status, scheduled_at: NOW, epoch: OWNER.epoch });
        const stale = await campaigns.move({ ...OWNER, campaignId, epoch: OWNER.epoch - 1 }, move, patch);
        const moved = await campaigns.move({ ...OWNER, campaignId }, move, patch);
        assert.equal(stale, null, 'a former owner moves nothing');
        const after = (await campaigns.find('t', campaignId))?.status;
        assert.equal(moved?.status ?? status, after);
        if (moved) made.add(`${status} → ${after}`);
      }
    assert.deepEqual([...made].toSorted(), MOVES);
  });
});

it("a finished campaign's status cannot be changed", () => {
  // @ts-expect-error: it ended for good.
  assert.throws(() => campaignMove('running', 'completed'), /no move from completed to running/);
});
