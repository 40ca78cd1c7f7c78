import { type ClusteredKind, movable } from '../../runtime/cluster/cluster-actors.ts';
import type { CampaignOwner, CampaignRow } from '../../store/campaigns/campaigns.ts';
import { DRAIN_ORDER } from '../drain-order.ts';
import { campaign } from './behaviour/campaign.ts';
import { CampaignEffects, type CampaignEffectsDeps } from './effects/campaign-effects.ts';
import { CAMPAIGN_EFFECTS, type CampaignCommand, type CampaignEffect, type CampaignEvent, type CampaignState } from './protocol.ts';

export type CampaignKind = ClusteredKind<CampaignOwner, CampaignState, CampaignCommand, CampaignEvent, CampaignEffect>;

const WEIGHT = 1;
const AHEAD_MS = 60_000;

export const campaignActorId = ({ tenant_id, _id }: Pick<CampaignRow, 'tenant_id' | '_id'>): string => `${tenant_id}.${_id}`;

export function campaignKind(deps: CampaignEffectsDeps): CampaignKind {
  return {
    behaviour: campaign,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 30_000,

    async wake(id) {
      const [tenantId = '', campaignId = ''] = id.split('.');
      const row = await deps.campaigns.own(tenantId, campaignId, deps.node);
      return row && { tenantId, campaignId, epoch: row.epoch };
    },

    effectScopes: CAMPAIGN_EFFECTS,
    effectHandler: (_id, self, owner, lease) => new CampaignEffects(deps, owner, self, lease),
    lost: { type: 'fenced' },

    drainOrder: DRAIN_ORDER.campaign,
    drain: (actor, _must, timeoutMs) => actor.ask({ type: 'drain' }, timeoutMs),
    async wanted() {
      const due = await deps.campaigns.due(deps.clock.now() + AHEAD_MS);
      return due.map((row) => movable(campaignActorId(row), WEIGHT));
    },
  };
}
