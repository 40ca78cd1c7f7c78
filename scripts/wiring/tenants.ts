import type { Logger } from 'pino';
import type { DeviceDeps } from '../../actors/device/effects/deps.ts';
import { sealedWebhooks } from '../../actors/services/credentials/sealed-secrets.ts';
import { createEventLog, type EventLog } from '../../actors/services/events/event-log.ts';
import { createPullReaders, type PullReaders } from '../../actors/services/events/readers.ts';
import { eventOfSession } from '../../actors/services/events/session-events.ts';
import { WebhookClient } from '../../actors/services/webhooks/webhook-client.ts';
import type { TenantEffectsDeps } from '../../actors/tenant/effects/tenant-effects.ts';
import { createTenantHints, type TenantHints } from '../../actors/tenant/hints.ts';
import type { TenantCommand } from '../../actors/tenant/protocol.ts';
import { tenantKind } from '../../actors/tenant/register.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClusterActors } from '../../runtime/cluster/cluster-actors.ts';
import { createEgress, type Egress } from '../../runtime/egress/egress.ts';
import type { Sealer } from '../../runtime/sealing/seal.ts';
import { apiKeysIn } from '../../store/accounts/api-keys.ts';
import { loginsIn } from '../../store/accounts/logins.ts';
import { tenantsIn } from '../../store/accounts/tenants.ts';
import type { Devices } from '../../store/devices/devices.ts';
import { eventInterestsIn } from '../../store/events/event-interests.ts';
import { eventReadersIn } from '../../store/events/event-readers.ts';
import { type Events, eventsIn } from '../../store/events/events.ts';
import type { Store } from '../../store/port.ts';
import { type Wakeups, wakeupsIn } from '../../store/scheduling/wakeups.ts';
import { type Deliveries, deliveriesIn } from '../../store/webhooks/deliveries.ts';
import { type OpenedWebhook, type Webhooks, webhooksIn } from '../../store/webhooks/webhooks.ts';
import type { Config } from './config.ts';
import type { Meters } from './metrics/meters.ts';

export interface TenantServices {
  readonly wakeups: Wakeups;
  readonly events: Events;
  readonly webhooks: Webhooks<OpenedWebhook>;
  readonly deliveries: Deliveries;
  readonly eventLog: EventLog;
  /** Events to which these readers subscribe are also recorded. */
  readonly pullReaders: PullReaders;
  /** Sends requests with data to addresses chosen by callers. */
  readonly egress: Egress;
  /** Sends requests that read data from addresses chosen by callers. */
  readonly readEgress: Egress;
  readonly tenantHints: TenantHints;
  readonly localeOf: TenantEffectsDeps['localeOf'];
  /** Also wakes the tenant's actor, which sends an alert if the device stays offline. */
  readonly tell: DeviceDeps['tell'];
  /** Call this after all tenants on this node have stopped. */
  closeWebhooks(): Promise<void>;
}

export interface TenantParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly everywhere: ClusterActors;
  readonly devices: Devices;
  readonly meters: Meters;
  readonly release: TenantEffectsDeps['release'];
  readonly bill: TenantEffectsDeps['bill'];
  readonly aiReplies: TenantEffectsDeps['aiReplies'];
  readonly outside?: Egress;
}

const DAY_MS = 86_400_000;

export const eventsKeptMs = ({ events_days }: Pick<Config, 'events_days'>): number => events_days * DAY_MS;

export function startTenants({
  config,
  clock,
  log,
  store,
  sealer,
  everywhere,
  devices,
  meters,
  release,
  bill,
  aiReplies,
  outside,
}: TenantParts): TenantServices {
  const wakeups = wakeupsIn(store);
  const events = eventsIn(store);
  const sealed = webhooksIn(store);
  const webhooks = sealedWebhooks(sealed, sealer);
  const deliveries = deliveriesIn(store);
  const egress = outside ?? createEgress({ allow: config.egress_allow, clock });
  const readEgress = outside ?? createEgress({ allow: config.egress_allow_reads, clock });
  const webhookClient = new WebhookClient({ dispatcher: egress.dispatcher, clock });
  const tenants = tenantsIn(store);
  const localeOf = async (tenantId: string) => (await tenants.find(tenantId))?.profile.locale ?? 'en';
  const tenantHints = createTenantHints((tenantId) => everywhere.ref<TenantCommand>('tenant', tenantId));
  const keptMs = eventsKeptMs(config);
  const pullReaders = createPullReaders({ readers: eventReadersIn(store), keys: apiKeysIn(store), logins: loginsIn(store), keptMs });
  const interests = eventInterestsIn(store);
  const eventLog = createEventLog({
    events,
    webhooks: sealed,
    interests: {
      async list(tenantId, now) {
        const [streamed, pulled] = await Promise.all([interests.list(tenantId, now), pullReaders.named(tenantId, now)]);
        return [...streamed, ...pulled];
      },
    },
    wakeups,
    clock,
    keptMs,
    hint: tenantHints.eventsArrived,
  });
  everywhere.register(
    tenantKind({
      events,
      webhooks,
      deliveries,
      wakeups,
      devices,
      eventLog,
      webhookClient,
      release,
      bill,
      localeOf,
      address: config.base_url ?? '',
      aiReplies,
      attempted: (row, result, at) => meters.attempted(row, result, at),
      clock,
      log,
      node: config.node_id,
    }),
  );

  return {
    wakeups,
    events,
    webhooks,
    deliveries,
    eventLog,
    pullReaders,
    egress,
    readEgress,
    tenantHints,
    localeOf,

    async tell({ tenantId, sessionId }, session_events) {
      const drafts = session_events.map((sessionEvent) => eventOfSession(sessionId, sessionEvent));
      await eventLog.record(tenantId, drafts);
      await tenants.hurry(tenantId, clock.now());
      if (!session_events.some(({ type }) => type === 'disconnected')) return;
      await wakeups.put(tenantId, clock.now());
      tenantHints.eventsArrived(tenantId);
    },

    async closeWebhooks() {
      webhookClient.close();
      await Promise.all([egress.close(), readEgress.close()]);
    },
  };
}
