import { deviceActorId } from '../../../actors/device/actor-id.ts';
import { REFUSAL_REASONS } from '../../../actors/domain/refused-login.ts';
import { TRANSIENT_CODES } from '../../../actors/domain/transient-refusals.ts';
import { MEX_NAMES } from '../../../actors/network/whatsapp/mex/mex-table.ts';
import type { OutboxHandler } from '../../../actors/services/messaging/outbox-processor.ts';
import type { Sending } from '../../../actors/services/messaging/sending.ts';
import { Counts } from '../../../runtime/metrics/counts.ts';
import { Distribution } from '../../../runtime/metrics/distribution.ts';
import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { Devices, SessionStatus } from '../../../store/devices/devices.ts';
import { FIRST_CONTACT, LANES } from '../../../store/messaging/message-row.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Attempted, DeliveryRow } from '../../../store/webhooks/deliveries.ts';

export const ACTOR_KINDS = ['device', 'campaign', 'tenant', 'store-link', 'jobs'] as const;

export const LANE_NAMES = ['reply', 'scheduled', 'campaign', 'first_contact'] as const;
export type LaneName = (typeof LANE_NAMES)[number];

const BY_LANE = new Map<number, LaneName>([
  [LANES.reply, 'reply'],
  [LANES.scheduled, 'scheduled'],
  [LANES.campaign, 'campaign'],
]);

export const laneName = (lane: number): LaneName => BY_LANE.get(lane) ?? 'first_contact';

/**
 * Returns the lane for which a message was accepted. A first contact actually waits in a later
 * lane.
 */
const askedAs = (lane: number): LaneName => laneName(lane >= FIRST_CONTACT ? lane - FIRST_CONTACT : lane);

const OUTCOMES = ['sent', 'delivered', 'read', 'failed'] as const;
const FAILURES = ['quota_exceeded', 'opted_out', 'expired', 'unknown_outcome', 'media_not_fetched', 'not_on_network', 'refused'];
const STEPS = ['accepted_to_sent', 'sent_to_delivered'] as const;
const SEND_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];
const DELIVERY_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];
const DELIVERY_FAILURES = [
  ...['status_1xx', 'status_3xx', 'status_4xx', 'status_5xx', 'timeout', 'blocked', 'connection_refused', 'connection_lost'],
  ...['connection_failed', 'name_not_found', 'tls', 'not_http', 'headers_too_long'],
];

/** The labels are fixed here, so tenants cannot create new time series. */
export class Meters {
  readonly accepted = new Counts(LANE_NAMES);
  readonly outcomes = new Counts(OUTCOMES);
  readonly failures = new Counts(FAILURES);
  readonly sendSeconds = new Map(
    STEPS.map((step) => [step, new Map(LANE_NAMES.map((lane) => [lane, new Distribution(SEND_BOUNDS)] as const))] as const),
  );
  received = 0;

  readonly attempts = new Counts(['delivered', 'retried', 'given_up']);
  readonly attemptFailures = new Counts(DELIVERY_FAILURES);
  readonly deliverySeconds = new Distribution(DELIVERY_BOUNDS);

  readonly handOvers: Counts;
  readonly leasesLost: Counts;
  readonly limitRefusals: Counts;
  readonly unknownQueries = new Counts(MEX_NAMES);
  readonly refusedForNow = new Counts(TRANSIENT_CODES.map(String));
  readonly loginRefusals = new Counts(REFUSAL_REASONS);
  /** Number of actors without a node at the last poll; null if another node is the rebalancer. */
  homeless: number | null = null;
  readonly deviceStates = new Map<string, SessionStatus>();

  constructor(kinds: readonly string[], limits: readonly string[]) {
    this.handOvers = new Counts(kinds);
    this.leasesLost = new Counts(kinds);
    this.limitRefusals = new Counts(limits);
  }

  messagesAccepted(lane: number, count = 1): void {
    this.accepted.add(askedAs(lane), count);
  }

  attempted({ created_at }: Pick<DeliveryRow, 'created_at'>, { status, error }: Pick<Attempted, 'status' | 'error'>, now: number): void {
    this.attempts.add(status === 'delivered' ? 'delivered' : status === 'failed' ? 'given_up' : 'retried');
    if (status === 'delivered') this.deliverySeconds.observe((now - created_at) / 1_000);
    if (error !== null) this.attemptFailures.add(error.startsWith('status_') ? `${error.slice(0, 8)}xx` : error);
  }

  /**
   * Each row records which handlers have processed it, so a step is counted twice only if recording
   * it fails.
   */
  readonly outboxHandler: OutboxHandler = {
    name: 'meters',
    plan: (rows) => ({
      writes: [],
      stored: () => this.messagesChanged(rows),
    }),
  };

  messagesChanged(rows: readonly MessageRow[]): void {
    for (const row of rows) this.#changed(row);
  }

  #changed(row: MessageRow): void {
    if (row.history || row.from_phone) return;
    const { processed = [] } = row;
    if (row.direction === 'inbound') {
      if (!processed.includes('received')) this.received += 1;
      return;
    }
    if (row.message_type === 'reaction') return;
    this.#moved(row, processed);
    if (row.status !== 'failed') return;
    this.outcomes.add('failed');
    const { error } = row;
    this.failures.add(error?.startsWith('refused_') ? 'refused' : (error ?? ''));
  }

  #moved(row: MessageRow, processed: readonly string[]): void {
    const { created_at, delivered_at, read_at } = row;
    const sent_at = row.sent_at ?? delivered_at ?? read_at;
    if (sent_at !== null && !processed.includes('sent')) {
      this.outcomes.add('sent');
      this.#took('accepted_to_sent', row, sent_at - created_at);
    }
    if (delivered_at !== null && sent_at !== null && !processed.includes('delivered')) {
      this.outcomes.add('delivered');
      this.#took('sent_to_delivered', row, delivered_at - sent_at);
    }
    if (read_at !== null && !processed.includes('read')) this.outcomes.add('read');
  }

  #took(step: (typeof STEPS)[number], { lane }: MessageRow, ms: number): void {
    this.sendSeconds
      .get(step)
      ?.get(askedAs(lane))
      ?.observe(ms / 1_000);
  }
}

export function countedSending(sending: Sending, meters: Meters): Sending {
  return {
    hint: (device) => sending.hint(device),
    accept: (device, plan, order, now) =>
      sending.accept(device, plan, order, now).then((accepted) => {
        meters.messagesAccepted(order.lane);
        return accepted;
      }),
  };
}

export function countedCampaignMessages(messages: CampaignMessages, meters: Meters): CampaignMessages {
  return {
    ...messages,
    async accept(rows) {
      const stored = await messages.accept(rows);
      meters.messagesAccepted(LANES.campaign, stored);
      return stored;
    },
  };
}

export function watchedDevices(devices: Devices, { deviceStates }: Meters): Devices {
  return {
    ...devices,
    async own(tenantId, sessionId, node) {
      const row = await devices.own(tenantId, sessionId, node);
      if (row) deviceStates.set(deviceActorId(tenantId, sessionId), row.status);
      return row;
    },
    async write(tenantId, sessionId, epoch, patch, sessionEvents) {
      const isOurs = await devices.write(tenantId, sessionId, epoch, patch, sessionEvents);
      if (isOurs && patch.status !== undefined) deviceStates.set(deviceActorId(tenantId, sessionId), patch.status);
      return isOurs;
    },
  };
}
