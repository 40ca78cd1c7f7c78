import type { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import { beyondLimit } from '../../domain/plans.ts';

/** Maximum number of started campaigns per tenant. Each one polls the store every few seconds. */
const MAX_STARTED = 200;

/** Returns why another start is refused, or null. Concurrent starts may together exceed the limit. */
export async function refusedStart(campaigns: Pick<Campaigns, 'countStarted'>, tenantId: string): Promise<Refusal | null> {
  if ((await campaigns.countStarted(tenantId, MAX_STARTED)) < MAX_STARTED) return null;
  return beyondLimit(MAX_STARTED, { en: 'running or paused campaigns', id: 'kampanye yang berjalan atau dijeda' });
}
