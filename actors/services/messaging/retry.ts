import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import type { Plan } from '../../domain/plans.ts';
import { CHANGED_MEANWHILE, refusal } from '../../domain/refusals.ts';
import { notInStatus } from './cancel.ts';
import type { Quota } from './quota.ts';
import { monthOf, type Sending } from './sending.ts';
import { giveBackUnsent, isUnsent, type UnsentQuotaDeps } from './unsent-quota.ts';

export interface RetryDeps extends UnsentQuotaDeps {
  readonly messages: Messages;
  readonly quota: Quota;
  readonly sending: Pick<Sending, 'hint'>;
}

/**
 * Sends a failed message again under its network ID, so that the network drops a second copy. The
 * official platform does not drop copies, so the message gets a new ID there. Fails with NOT_FOUND
 * or CONFLICT.
 */
export async function retry(deps: RetryDeps, device: DeviceRow, plan: Plan, id: string, now: number): Promise<MessageRow> {
  const { messages } = deps;
  const found = await messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND');
  const isLate = found.expires_at !== undefined && found.expires_at <= now;
  if (found.status !== 'failed') throw notInStatus(found);
  if (isLate) throw refusal('CONFLICT', { reason: TOO_LATE });
  await giveBackUnsent(deps, [found], now);
  const paid = isUnsent(found) ? null : found.quota_month;
  const month = paid ?? (await payNow(deps, device.tenant_id, plan, now));
  if (month === null) return found;
  const retries = (found.retries ?? 0) + 1;
  const attempt = device.official ? { retries, net_id: `${found._id}.${retries + 1}` } : {};
  const queued = await messages.requeue(found, month, attempt);
  if (!queued && paid === null) await deps.quota.giveBack(device.tenant_id, month, 1);
  if (!queued) throw refusal('CONFLICT', { reason: CHANGED_MEANWHILE });
  if (device.wanted) deps.sending.hint(device);
  return queued;
}

async function payNow({ quota }: RetryDeps, tenantId: string, plan: Plan, now: number): Promise<string | null> {
  const month = monthOf(now, plan.zone);
  return (await quota.take(tenantId, month, 1, plan.overage ? null : plan.messages)) ? month : null;
}

const TOO_LATE = { en: "the message's `expires_at` has passed", id: '`expires_at` pesan ini sudah lewat' };
