import { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Plan } from '../../domain/plans.ts';
import { type RetryDeps, retry } from '../messaging/retry.ts';

export interface RetryUnsentDeps extends RetryDeps {
  readonly devices: Pick<Devices, 'list'>;
  readonly campaigns: Pick<Campaigns, 'find'>;
}

type IsToBeSent = (row: MessageRow) => boolean | Promise<boolean>;

const DAY_MS = 86_400_000;
const PAGE = 200;
/** What one call queues; the next call goes on. */
const MAX_RETRIED = 5_000;

/**
 * Queues again what the quota stopped in the last 24 hours, as far as the quota now reaches; gives how many. Messages of campaigns come last, and
 * only of those that still run or are completed.
 */
export async function retryUnsent(deps: RetryUnsentDeps, tenantId: string, plan: Plan, now: number): Promise<number> {
  const goesOn = campaignsThatGoOn(deps, tenantId);
  const isOfCampaign: IsToBeSent = ({ blast_id }) => typeof blast_id === 'string' && goesOn(blast_id);
  const devices = await deps.devices.list(tenantId, null);
  let retried = 0;
  for (const isToBeSent of [isAlone, isOfCampaign]) {
    for (const device of devices) {
      for await (const row of stoppedOn(deps, device, isToBeSent, now)) {
        if (retried >= MAX_RETRIED) return retried;
        const queued = await again(deps, device, plan, row, now);
        if (queued === 'full') return retried;
        if (queued) retried += 1;
      }
    }
  }
  return retried;
}

const isAlone: IsToBeSent = ({ blast_id }) => typeof blast_id !== 'string';

/** Is this campaign still wanted? Each is looked up once. */
function campaignsThatGoOn({ campaigns }: RetryUnsentDeps, tenantId: string): (campaignId: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (campaignId) => {
    const seen = known.get(campaignId);
    if (seen !== undefined) return seen;
    const status = (await campaigns.find(tenantId, campaignId))?.status;
    const goesOn = status === 'running' || status === 'completed';
    known.set(campaignId, goesOn);
    return goesOn;
  };
}

async function* stoppedOn(
  { messages }: RetryUnsentDeps,
  device: DeviceRow,
  isToBeSent: IsToBeSent,
  now: number,
): AsyncGenerator<MessageRow> {
  let before: { before: number | null; beforeId: string | null } = { before: null, beforeId: null };
  for (;;) {
    const filter = { status: 'failed', direction: 'outbound', since: now - DAY_MS } as const;
    const rows = await messages.list(device.tenant_id, device._id, filter, { limit: PAGE, ...before });
    for (const row of rows) if (row.error === 'quota_exceeded' && (await isToBeSent(row))) yield row;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    before = { before: last.created_at, beforeId: last._id };
  }
}

/** `full`: the quota does not reach further. */
async function again(deps: RetryUnsentDeps, device: DeviceRow, plan: Plan, row: MessageRow, now: number): Promise<boolean | 'full'> {
  try {
    return (await retry(deps, device, plan, row._id, now)).status === 'failed' ? 'full' : true;
  } catch (cause) {
    // Somebody else was faster, or it is too late for it.
    if (cause instanceof Refusal) return false;
    throw cause;
  }
}
