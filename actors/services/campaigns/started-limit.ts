import type { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import { beyondLimit } from '../../domain/plans.ts';

/** Maximum number of running or paused campaigns, because each running one polls the store every few seconds. */
const MAX_STARTED = 200;

/** Returns null if a campaign may start. Concurrent starts may all pass. */
export async function refusedStart(campaigns: Pick<Campaigns, 'countStarted'>, tenantId: string): Promise<Refusal | null> {
  if ((await campaigns.countStarted(tenantId, MAX_STARTED)) < MAX_STARTED) return null;
  return beyondLimit(MAX_STARTED, { en: 'campaigns that run or are paused', id: 'kampanye yang berjalan atau dijeda' });
}
