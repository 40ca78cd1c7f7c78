import type { DeviceRow } from '../store/devices.ts';
import type { MessageRow, Messages } from '../store/messages.ts';
import type { Usage } from '../store/usage.ts';
import type { Plan } from './plans.ts';
import { refusal } from './refusals.ts';
import { monthOf, type Sending } from './sending.ts';
import { isUnsent } from './unsent-quota.ts';

export interface RetryPorts {
  readonly messages: Messages;
  readonly usage: Usage;
  readonly sending: Pick<Sending, 'hint'>;
}

/**
 * Queues a failed message again, under the network id that it has, whatever it failed of: the network drops a second copy of an id that it
 * took, so no retry ever sends twice, not even of an `unknown_outcome`. A message that is not paid for (any more) is paid for now, and stays
 * `failed` where that cannot be. Refuses NOT_FOUND, and CONFLICT where it is not failed, or is not to be sent any more.
 */
export async function retry(ports: RetryPorts, device: DeviceRow, plan: Plan, id: string, now: number): Promise<MessageRow> {
  const { messages } = ports;
  const found = await messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND');
  const isLate = found.expires_at !== undefined && found.expires_at <= now;
  if (found.status !== 'failed' || isLate) throw refusal('CONFLICT');
  const paid = isUnsent(found) ? null : found.quota_month;
  const month = paid ?? (await payNow(ports, device.tenant_id, plan, now));
  if (month === null) return found;
  const queued = await messages.requeue(device.tenant_id, device._id, id, month);
  if (!queued && paid === null) await ports.usage.giveBackMessages(device.tenant_id, month, 1);
  if (!queued) throw refusal('CONFLICT');
  if (device.wanted) ports.sending.hint(device);
  return queued;
}

async function payNow({ usage }: RetryPorts, tenantId: string, plan: Plan, now: number): Promise<string | null> {
  const month = monthOf(now);
  return (await usage.takeMessages(tenantId, month, 1, plan.overage ? null : plan.messages)) ? month : null;
}
