import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { DeviceDays } from '../../../store/devices/device-days.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { FIRST_CONTACT, LANES, type MessageRow } from '../../../store/messaging/message-row.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import { pacingIn } from '../../device/behaviour/pacing.ts';
import { restrictionAt } from '../../device/behaviour/restriction.ts';
import { DEFAULT_SETTINGS, settingsOf } from '../../domain/settings.ts';
import { youngDay } from '../../domain/warm-up.ts';

/**
 * Why a queued message does not leave yet. Nothing is stored for it: the reason follows from the rows of the device, the tenant and the message when
 * somebody asks, by the rules that the device itself goes by (device/behaviour/pacing.ts). A message that nothing holds has no reason.
 */

// biome-ignore format: one line
export const WAITING_REASONS = ['suspended', 'login', 'offline', 'backoff', 'restricted', 'warm_up', 'first_contact', 'campaign_behind_replies', 'pace'] as const;

export interface Waiting {
  readonly reason: (typeof WAITING_REASONS)[number];
  /** Epoch ms; null: nobody knows. */
  readonly until: number | null;
}

export interface WaitingDeps {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly days: Pick<DeviceDays, 'sent'>;
  readonly messages: Pick<Messages, 'waiting'>;
}

/** Why messages of a device wait now, for each of them; null: this one does not. Three reads at most, however many messages are asked about. */
export async function whyMessagesWait(deps: WaitingDeps, device: DeviceRow, now: number): Promise<(message: MessageRow) => Waiting | null> {
  const away = awayFor(device, now);
  if (away) return onlyQueued(() => away);
  const { tenant_id: tenantId, _id: sessionId, linked_at: linkedAt = null } = device;
  const tenant = await deps.tenants.find(tenantId);
  const { maxDelayMs, warmupDays = null } = pacingIn(tenant ? settingsOf(tenant) : DEFAULT_SETTINGS);
  const day = youngDay(linkedAt, warmupDays, now);
  const isSpent = day !== null && (await deps.days.sent(sessionId, day.name)) >= day.limit;
  const isAnswering = await hasReplies(deps, tenantId, sessionId);
  const restriction = restrictionAt(device, now);
  const slowedUntil = device.slowed?.until ?? 0;
  return onlyQueued(({ lane, backoff }) => {
    const refusedUntil = Math.max(slowedUntil, backoff?.until ?? 0);
    if (refusedUntil > now) return { reason: 'backoff', until: refusedUntil };
    const isFirstContact = lane >= FIRST_CONTACT;
    if (isFirstContact && restriction) return { reason: 'restricted', until: restriction.until };
    if (isSpent && lane !== LANES.reply) return { reason: 'warm_up', until: day?.endsAt ?? null };
    if (isFirstContact) return { reason: 'first_contact', until: null };
    if (lane === LANES.campaign && isAnswering) return { reason: 'campaign_behind_replies', until: null };
    return maxDelayMs > 0 ? { reason: 'pace', until: null } : null;
  });
}

/** Nothing leaves the device at all. */
function awayFor(
  { status, paused = null, credentials, official = null, retry_at: retryAt = null }: DeviceRow,
  now: number,
): Waiting | null {
  if (paused) return { reason: 'suspended', until: null };
  if ((credentials === null && official === null) || status === 'failed') return { reason: 'login', until: null };
  return status === 'connected' ? null : { reason: 'offline', until: retryAt !== null && retryAt > now ? retryAt : null };
}

const onlyQueued =
  (why: (message: MessageRow) => Waiting | null) =>
  (message: MessageRow): Waiting | null =>
    message.status === 'queued' ? why(message) : null;

/** Whether a reply waits: replies are first in the queue. */
async function hasReplies({ messages }: WaitingDeps, tenantId: string, sessionId: string): Promise<boolean> {
  for await (const { lane } of messages.waiting(tenantId, sessionId, null, 1)) return lane === LANES.reply;
  return false;
}
