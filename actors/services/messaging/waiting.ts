import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { DeviceDays } from '../../../store/devices/device-days.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { FIRST_CONTACT, LANES, type MessageRow } from '../../../store/messaging/message-row.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import { pacingIn } from '../../device/behaviour/pacing.ts';
import { restrictionAt } from '../../device/behaviour/restriction.ts';
import { OUTCOME_UNKNOWN_MS } from '../../domain/official-limits.ts';
import { DEFAULT_SETTINGS, settingsOf } from '../../domain/settings.ts';
import { youngDay } from '../../domain/warm-up.ts';

/**
 * Explains why a queued message has not been sent yet. The reason is not stored, but determined on
 * demand from the rows of device, tenant and message, with the rules that the device uses
 * (device/behaviour/pacing.ts). A message that can be sent now has no reason.
 */

// biome-ignore format: one line
export const WAITING_REASONS = ['suspended', 'login', 'offline', 'backoff', 'restricted', 'warm_up', 'first_contact', 'campaign_behind_replies', 'pace', 'tier', 'pair_limit', 'spam_limit', 'held_by_network', 'outcome_unknown'] as const;

export interface Waiting {
  readonly reason: (typeof WAITING_REASONS)[number];
  readonly until: number | null;
}

export interface WaitingDeps {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly days: Pick<DeviceDays, 'sent'>;
  readonly messages: Pick<Messages, 'waiting'>;
}

export async function whyMessagesWait(deps: WaitingDeps, device: DeviceRow, now: number): Promise<(message: MessageRow) => Waiting | null> {
  const away = awayFor(device, now);
  if (away) return queuedOr(sentFor(device), () => away);
  const { tenant_id: tenantId, _id: sessionId, linked_at: linkedAt = null } = device;
  const tenant = await deps.tenants.find(tenantId);
  const { maxDelayMs, warmupDays = null } = pacingIn(tenant ? settingsOf(tenant) : DEFAULT_SETTINGS);
  const day = youngDay(linkedAt, warmupDays, now);
  const isSpent = day !== null && (await deps.days.sent(sessionId, day.name)) >= day.limit;
  const isAnswering = await hasReplies(deps, tenantId, sessionId);
  const restriction = restrictionAt(device, now);
  const slowedUntil = device.slowed?.until ?? 0;
  return queuedOr(sentFor(device), ({ lane, backoff }) => {
    if (backoff?.limit !== undefined && backoff.until > now) return { reason: backoff.limit, until: backoff.until };
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

function awayFor(
  { status, paused = null, credentials, official = null, retry_at: retryAt = null }: DeviceRow,
  now: number,
): Waiting | null {
  if (paused) return { reason: 'suspended', until: null };
  if ((credentials === null && official === null) || status === 'failed') return { reason: 'login', until: null };
  return status === 'connected' ? null : { reason: 'offline', until: retryAt !== null && retryAt > now ? retryAt : null };
}

type Why = (message: MessageRow) => Waiting | null;

const queuedOr =
  (whySent: Why, whyQueued: Why): Why =>
  (message) =>
    message.status === 'queued' ? whyQueued(message) : message.status === 'sending' ? whySent(message) : null;

/** The official platform drops no second copy, so a message that it did not confirm is not sent again. */
const sentFor =
  ({ official = null }: DeviceRow): Why =>
  ({ held, claimed_at: claimedAt, created_at: createdAt }) => {
    if (official === null) return null;
    if (held) return { reason: 'held_by_network', until: null };
    return { reason: 'outcome_unknown', until: (claimedAt ?? createdAt) + OUTCOME_UNKNOWN_MS };
  };

async function hasReplies({ messages }: WaitingDeps, tenantId: string, sessionId: string): Promise<boolean> {
  for await (const { lane } of messages.waiting(tenantId, sessionId, null, 1)) return lane === LANES.reply;
  return false;
}
