import type { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import { beyondLimit } from '../../domain/plans.ts';

/** Of running or paused campaigns: each running one polls the store every few seconds. */
const MAX_STARTED = 200;

/** null when a campaign may start. Campaigns that start at the same moment may all pass. */
export async function refusedStart(campaigns: Pick<Campaigns, 'countStarted'>, tenantId: string): Promise<Refusal | null> {
  if ((await campaigns.countStarted(tenantId, MAX_STARTED)) < MAX_STARTED) return null;
  return beyondLimit(MAX_STARTED, { en: 'campaigns that run or are paused', id: 'kampanye yang berjalan atau dijeda' });
}
