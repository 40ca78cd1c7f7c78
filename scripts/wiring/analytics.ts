import { userJid } from '../../actors/network/jid.ts';
import type { Person } from '../../actors/network/person.ts';
import { subjectOf } from '../../actors/network/subject.ts';
import { markBuckets } from '../../actors/services/analytics/outbox-handler.ts';
import { createRecount, type Recount } from '../../actors/services/analytics/recount.ts';
import { createReports, type Reports } from '../../actors/services/analytics/report.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import type { FactDeps } from '../../actors/services/facts/keep-facts.ts';
import { createHealthWatch, type HealthWatch } from '../../actors/services/health/tenant-health.ts';
import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { Agents } from '../../store/agents/agents.ts';
import { unansweredIn } from '../../store/ai-reply/unanswered.ts';
import { bucketsIn } from '../../store/analytics/buckets.ts';
import { countedMessagesIn } from '../../store/analytics/counted-messages.ts';
import type { Campaigns } from '../../store/campaigns/campaigns.ts';
import type { Contacts } from '../../store/contacts/contacts.ts';
import { deviceBlocksIn } from '../../store/devices/device-blocks.ts';
import { COMPLAINT_DELAY_MS } from './consent.ts';
import type { SharedDeps } from './shared-deps.ts';

export interface AnalyticsServices {
  readonly noteBlocks: FactDeps['noteBlocks'];
  readonly recount: Recount;
  readonly reports: Reports;
  readonly healthWatch: HealthWatch;
  readonly outboxHandler: OutboxHandler;
}

export interface AnalyticsParts extends SharedDeps {
  readonly agents: Agents;
  readonly campaigns: Campaigns;
  campaignsChanged(tenantId: string): void;
  readonly contacts: Contacts;
  readonly eventLog: EventLog;
}

/** Retention in ms: the time during which a block counts as a complaint, plus a day. */
const BLOCKS_KEPT_MS = 8 * 86_400_000;

/** Length of a chat's key in characters. This is enough to tell the chats of one business apart. */
const KEY_LENGTH = 16;

export function startAnalytics({ store, clock, sealer, log, ...parts }: AnalyticsParts): AnalyticsServices {
  const buckets = bucketsIn(store);
  const chatKey = (tenantId: string, chatId: string): string =>
    sealer.keyedHash(tenantId, `analytics ${subjectOf(chatId) ?? chatId}`).slice(0, KEY_LENGTH);
  const recount = createRecount({
    buckets,
    countedMessages: countedMessagesIn(store),
    clock,
    chatKey,
  });
  const blocks = deviceBlocksIn(store);
  return {
    recount,
    async noteBlocks({ tenantId, sessionId }, blocked, unblocked, at) {
      const keysOf = (people: readonly Person[]): readonly string[] =>
        people.flatMap(({ phone, lid }) => (phone === null ? (lid ?? []) : userJid(phone))).map((address) => chatKey(tenantId, address));
      for (const key of keysOf(blocked)) await blocks.add(sessionId, key, at, at + BLOCKS_KEPT_MS);
      for (const key of keysOf(unblocked)) await blocks.remove(sessionId, key);
      if (blocked.length > 0) await parts.tenants.dueBy(tenantId, clock.now() + COMPLAINT_DELAY_MS);
    },
    reports: createReports({ ...parts, buckets, recount, chatKey, unanswered: unansweredIn(store) }),
    healthWatch: createHealthWatch({
      ...parts,
      clock,
      healths: parts.tenants,
      blocks,
      complaintLimits: parts.config.complaint_limits,
      buckets,
      recount,
      chatKey,
      changed: (tenant, { device, color, reasons }, former) =>
        log.info({ event: 'health.changed', tenant, device, color, former, reasons }, 'the health of a device changed'),
    }),
    outboxHandler: markBuckets(buckets, () => clock.now()),
  };
}
