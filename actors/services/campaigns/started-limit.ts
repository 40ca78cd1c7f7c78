import type { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import { beyondLimit } from '../../domain/plans.ts';

/** Campaigns of a tenant that run or are paused: each that runs looks at the store every few seconds. */
const MAX_STARTED = 200;

/** LIMIT_REACHED for one more of them; null: there is room. Those that start at the same moment may all find it. */
export async function refusedStart(campaigns: Pick<Campaigns, 'countStarted'>, tenantId: string): Promise<Refusal | null> {
  if ((await campaigns.countStarted(tenantId, MAX_STARTED)) < MAX_STARTED) return null;
  return beyondLimit(MAX_STARTED, { en: 'campaigns that run or are paused', id: 'kampanye yang berjalan atau dijeda' });
}
