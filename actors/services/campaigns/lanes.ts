import { inChunks } from '../../../runtime/in-chunks.ts';
import type { Usage } from '../../../store/accounts/usage.ts';
import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { Recipients } from '../../../store/campaigns/recipients.ts';
import type { Quota } from '../messaging/quota.ts';
import { isOut, outcomeOf } from './outcomes.ts';

export interface CompareDeps {
  readonly recipients: Recipients;
  readonly campaignMessages: CampaignMessages;
  readonly usage: Pick<Usage, 'closeBatch'>;
}

export interface LanesDeps extends CompareDeps {
  readonly quota: Pick<Quota, 'giveBack'>;
}

type Owned = Pick<CampaignRow, '_id' | 'tenant_id'>;

const BATCH_SIZE = 1_000;

export const batchName = (month: string, id: string): string => `${month}:${id}`;

const monthOfBatch = (batch: string): string => batch.slice(0, batch.indexOf(':'));

/** Compares all queued recipients at once, because `closeBatch` refunds a batch only once. */
export async function compareWithMessages({ recipients, campaignMessages, usage }: CompareDeps, row: Owned): Promise<void> {
  const waiting = await recipients.queued(row._id, null);
  if (waiting.length === 0) return;
  const messages = await campaignMessages.find(waiting.map(({ _id }) => _id));
  const there = new Set(messages.map(({ _id }) => _id));
  await recipients.cameOut(messages.map(outcomeOf).filter(isOut));
  // These recipients were marked, but a crash prevented their messages from being stored.
  const lost = waiting.filter(({ _id }) => !there.has(_id));
  for (const [batch, some] of Map.groupBy(lost, (one) => one.batch))
    if (batch) await usage.closeBatch(row.tenant_id, monthOfBatch(batch), batch, some.length);
  await recipients.takenBack(lost.map(({ _id }) => _id));
}

export async function takeBack({ recipients, campaignMessages, quota }: LanesDeps, row: Owned): Promise<void> {
  for (const some of inChunks(await recipients.queued(row._id, null), BATCH_SIZE)) {
    const back = await campaignMessages.withdraw(some.map(({ _id }) => _id));
    await recipients.takenBack(back.map(({ _id }) => _id));
    for (const [month, rows] of Map.groupBy(back, ({ quota_month }) => quota_month))
      if (month !== null) await quota.giveBack(row.tenant_id, month, rows.length);
  }
}

export async function emptyLanes(deps: LanesDeps, row: Owned): Promise<void> {
  await compareWithMessages(deps, row);
  await takeBack(deps, row);
}
