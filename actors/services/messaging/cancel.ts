import type { Refusal } from '../../../runtime/errors.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { inStatus, refusal } from '../../domain/refusals.ts';
import type { Sending } from './sending.ts';
import { giveBackUnsent, type UnsentQuotaDeps } from './unsent-quota.ts';

/**
 * Cancels queued messages, and deletes messages from the log that are not ours or were never sent.
 * Invariant: the quota of a cancelled message is refunded once, and the device processes its outbox
 * entry.
 */

export interface CancelDeps extends UnsentQuotaDeps {
  readonly messages: Messages;
  readonly sending: Pick<Sending, 'hint'>;
}

type Addressed = Pick<DeviceRow, '_id' | 'tenant_id'>;

const BATCH_SIZE = 50;
/** Tolerance for other nodes' clocks. Messages accepted later than this are not cancelled. */
const AHEAD_MS = 5_000;

export async function cancelWaiting(deps: CancelDeps, device: Addressed, now: number): Promise<number> {
  const { messages, sending } = deps;
  const { tenant_id, _id } = device;
  let count = 0;
  for (let isOver = false; !isOver; ) {
    const { cancelled, hasMore } = await fairSlices.run(tenant_id, async () => {
      const moved = await messages.cancelWaiting(tenant_id, _id, now + AHEAD_MS, BATCH_SIZE);
      await giveBackUnsent(deps, moved.cancelled, now);
      return moved;
    });
    if (cancelled.length > 0) sending.hint(device);
    count += cancelled.length;
    isOver = !hasMore;
  }
  return count;
}

/** Deletes a message. Returns null for our own one that was or is being sent. Fails with NOT_FOUND. */
export async function eraseHere(deps: CancelDeps, device: DeviceRow, id: string, now: number): Promise<MessageRow | null> {
  const { messages, sending } = deps;
  const found = await messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND');
  if (found.status === 'queued') await cancelOne(deps, device, id, now);
  else await giveBackUnsent(deps, [found], now);
  const erased = await messages.erase(device.tenant_id, device._id, id, now);
  if (erased) sending.hint(device);
  return erased;
}

export async function cancelIfWaiting(deps: CancelDeps, device: Addressed, id: string, now: number): Promise<MessageRow | null> {
  const { messages, sending } = deps;
  const cancelled = await messages.cancel(device.tenant_id, device._id, id);
  if (!cancelled) return null;
  await giveBackUnsent(deps, [cancelled], now);
  sending.hint(device);
  return cancelled;
}

const MESSAGE = { en: 'the message', id: 'pesan' };
const ON_ITS_WAY = { en: 'the message is already being sent to the network', id: 'pesan sedang dikirim ke jaringan' };

export async function cancelOne(deps: CancelDeps, device: DeviceRow, id: string, now: number): Promise<MessageRow> {
  const cancelled = await cancelIfWaiting(deps, device, id, now);
  if (cancelled) return cancelled;
  const found = await deps.messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND');
  throw notInStatus(found);
}

export const notInStatus = ({ status }: Pick<MessageRow, 'status'>): Refusal =>
  status === 'sending' ? refusal('CONFLICT', { reason: ON_ITS_WAY }) : inStatus(MESSAGE, status);
