import type { DeviceRow } from '../store/devices.ts';
import type { MessageRow, Messages } from '../store/messages.ts';
import { refusal } from './refusals.ts';
import type { Sending } from './sending.ts';

export interface RecallPorts {
  readonly messages: Messages;
  /** Gives quota back for messages that never left. `month` is `YYYY-MM` in UTC. */
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
  /** What follows from it is the device's work. */
  readonly sending: Pick<Sending, 'hint'>;
}

/** Cancels what still waits for a device and gives its quota back; how many messages that were. What is on the wire goes its way. */
export async function recallWaiting({ messages, giveBack, sending }: RecallPorts, device: DeviceRow): Promise<number> {
  const { tenant_id, _id } = device;
  const cancelled = await messages.cancelWaiting(tenant_id, _id);
  for (const [month, count] of paidMonths(cancelled)) await giveBack(tenant_id, month, count);
  if (cancelled.length > 0) sending.hint(device);
  return cancelled.length;
}

/** Callers see it `queued`. */
const ON_ITS_WAY = { en: 'it is on its way to the network already', id: 'pesan sudah dalam perjalanan ke jaringan' };

/** Cancels one message that still waits. Refuses NOT_FOUND, and CONFLICT where it does not wait any more. */
export async function recallOne(ports: RecallPorts, device: DeviceRow, id: string): Promise<MessageRow> {
  const { messages, giveBack, sending } = ports;
  const cancelled = await messages.cancel(device.tenant_id, device._id, id);
  if (cancelled?.quota_month) await giveBack(device.tenant_id, cancelled.quota_month, 1);
  if (cancelled) sending.hint(device);
  if (cancelled) return cancelled;
  const found = await messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND');
  throw refusal('CONFLICT', found.status === 'sending' ? { reason: ON_ITS_WAY } : undefined);
}

function paidMonths(rows: readonly MessageRow[]): Map<string, number> {
  const months = new Map<string, number>();
  for (const { quota_month } of rows) if (quota_month !== null) months.set(quota_month, (months.get(quota_month) ?? 0) + 1);
  return months;
}
