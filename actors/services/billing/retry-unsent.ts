import { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { Recipients } from '../../../store/campaigns/recipients.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Plan } from '../../domain/plans.ts';
import type { ConsentCheck } from '../consent/check.ts';
import { type RetryDeps, retry } from '../messaging/retry.ts';

export interface RetryUnsentDeps extends RetryDeps {
  readonly devices: Pick<Devices, 'list'>;
  readonly campaigns: Pick<Campaigns, 'find'>;
  readonly recipients: Pick<Recipients, 'requeued'>;
  readonly consentCheck: ConsentCheck;
}

type Stopped = Pick<MessageRow, '_id' | 'chat_id' | 'blast_id'>;

const DAY_MS = 86_400_000;
const PAGE = 200;
const MAX_RETRIED = 5_000;

/** Requeues messages that the quota stopped in the last 24 hours. Campaign messages come last. */
export async function retryUnsent(deps: RetryUnsentDeps, tenantId: string, plan: Plan, now: number): Promise<number> {
  const goesOn = campaignsThatGoOn(deps, tenantId);
  const ofCampaigns: (readonly [DeviceRow, Stopped])[] = [];
  let retried = 0;
  async function mayGoOn(device: DeviceRow, message: Stopped): Promise<boolean> {
    if (retried >= MAX_RETRIED) return false;
    const queued = await again(deps, device, plan, message, now);
    if (queued === true) retried += 1;
    return queued !== 'full';
  }
  for (const device of await deps.devices.list(tenantId, null)) {
    for await (const { _id, chat_id, blast_id } of stoppedOn(deps, device, now)) {
      if (blast_id === undefined) {
        if (!(await mayGoOn(device, { _id, chat_id }))) return retried;
      } else if (ofCampaigns.length < MAX_RETRIED && (await goesOn(blast_id))) ofCampaigns.push([device, { _id, chat_id, blast_id }]);
    }
  }
  for (const [device, message] of ofCampaigns) if (!(await mayGoOn(device, message))) break;
  return retried;
}

function campaignsThatGoOn(deps: RetryUnsentDeps, tenantId: string): (campaignId: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (campaignId) => {
    const goesOn = known.get(campaignId) ?? (await isWanted(deps, tenantId, campaignId));
    known.set(campaignId, goesOn);
    return goesOn;
  };
}

async function isWanted({ campaigns }: RetryUnsentDeps, tenantId: string, campaignId: string): Promise<boolean> {
  const status = (await campaigns.find(tenantId, campaignId))?.status;
  return status === 'running' || status === 'completed';
}

async function* stoppedOn({ messages }: RetryUnsentDeps, device: DeviceRow, now: number): AsyncGenerator<MessageRow> {
  let before: { before: number | null; beforeId: string | null } = { before: null, beforeId: null };
  for (;;) {
    const filter = { status: 'failed', direction: 'outbound', since: now - DAY_MS } as const;
    let found = 0;
    for await (const row of messages.list(device.tenant_id, device._id, filter, { limit: PAGE, ...before })) {
      found += 1;
      before = { before: row.created_at, beforeId: row._id };
      if (row.error === 'quota_exceeded') yield row;
    }
    if (found < PAGE) return;
  }
}

/** Returns `full` if the quota is used up, or false if the message must not be sent anymore. */
async function again(deps: RetryUnsentDeps, device: DeviceRow, plan: Plan, message: Stopped, now: number): Promise<boolean | 'full'> {
  const { _id, chat_id, blast_id } = message;
  try {
    const { isOptedOut } = await deps.consentCheck.admit(device.tenant_id, chat_id);
    if (blast_id !== undefined && (isOptedOut || !(await isWanted(deps, device.tenant_id, blast_id)))) return false;
    if ((await retry(deps, device, plan, _id, now)).status === 'failed') return 'full';
    if (blast_id !== undefined) await deps.recipients.requeued(_id);
    return true;
  } catch (cause) {
    // The message is too old, it has already been requeued, or the person has opted out.
    if (cause instanceof Refusal) return false;
    throw cause;
  }
}
