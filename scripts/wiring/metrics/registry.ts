import { Registry } from 'prom-client';
import type { Readiness } from '../../../http/areas/service/rows.ts';
import { type Series, showCounter, showGauge, showHistogram } from '../../../http/core/prometheus.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Counts } from '../../../runtime/metrics/counts.ts';
import { laneBacklogsIn } from '../../../store/messaging/lane-backlog.ts';
import type { Store } from '../../../store/port.ts';
import type { ActorServices } from '../actors.ts';
import type { AuditHeads } from '../audit.ts';
import type { StoreTimes } from './measured-store.ts';
import type { Meters } from './meters.ts';
import { QueueSampler } from './queue-sampler.ts';

export interface MetricsParts {
  readonly services: ActorServices;
  readonly auditHeads: AuditHeads;
  readonly meters: Meters;
  readonly storeTimes: StoreTimes;
  readonly readiness: Readiness;
  readonly store: Store;
  readonly clock: Clock;
}

export function metricsOf(parts: MetricsParts): Registry {
  const registry = new Registry();
  showDevices(registry, parts);
  showLogins(registry, parts);
  showSends(registry, parts.meters);
  showQueue(registry, parts);
  showWebhooks(registry, parts);
  showCluster(registry, parts);
  showActors(registry, parts);
  showStore(registry, parts);
  showCounter(registry, {
    name: 'gateway_limit_refusals_total',
    help: 'Calls refused by a rate limit, by limit',
    labels: ['limit'],
    read: () => seriesOf('limit', parts.meters.limitRefusals),
  });
  showCounter(registry, {
    name: 'gateway_mex_unknown_query_total',
    help: 'Stored queries that the network did not know by their id',
    labels: ['question'],
    read: () => seriesOf('question', parts.meters.unknownQueries),
  });
  showCounter(registry, {
    name: 'gateway_audit_heads_published_total',
    help: 'Audit log heads that this node published, at most one a day for each log',
    read: () => [[{}, parts.auditHeads.published]],
  });
  showCounter(registry, {
    name: 'gateway_audit_heads_fallen_total',
    help: 'Audit logs that ended earlier than their last published head; entries are missing',
    read: () => [[{}, parts.auditHeads.fallen]],
  });
  return registry;
}

const seriesOf = (label: string, counts: Counts): Series[] => [...counts.entries()].map(([name, n]) => [{ [label]: name }, n]);

function showDevices(registry: Registry, { services: { actors, loginRateLimiter }, meters: { deviceStates } }: MetricsParts): void {
  const states = ['pending', 'qr_ready', 'connected', 'disconnected', 'failed'] as const;
  showGauge(registry, {
    name: 'gateway_devices',
    help: 'Devices that this node runs, by state',
    labels: ['state'],
    read() {
      const running = new Set(actors.awake('device'));
      for (const id of deviceStates.keys()) if (!running.has(id)) deviceStates.delete(id);
      const counted = Map.groupBy(deviceStates.values(), (state) => state);
      return states.map((state): Series => [{ state }, counted.get(state)?.length ?? 0]);
    },
  });
  showGauge(registry, {
    name: 'gateway_logins_waiting',
    help: 'Devices waiting to log in',
    read: () => [[{}, loginRateLimiter.depth]],
  });
}

function showLogins(registry: Registry, { meters, services: { builds } }: MetricsParts): void {
  showGauge(registry, {
    name: 'gateway_client_build_age_seconds',
    help: 'Age of the client build that logins announce',
    read: () => [[{}, builds.figures().ageMs / 1_000]],
  });
  showGauge(registry, {
    name: 'gateway_client_build_expires_seconds',
    help: 'Time until the network refuses the current client build, if the network announced it',
    read() {
      const { expiresInMs } = builds.figures();
      return expiresInMs === null ? [] : [[{}, expiresInMs / 1_000]];
    },
  });
  showGauge(registry, {
    name: 'gateway_client_build_canary_refusals',
    help: 'New client builds that the network refused on their first device, in the last 24 hours',
    read: () => [[{}, builds.figures().refusedCanaries]],
  });
  showCounter(registry, {
    name: 'gateway_messages_refused_for_now_total',
    help: 'Temporary refusals of messages by the network, by code (408, 421, 429, 500, 503)',
    labels: ['number'],
    read: () => seriesOf('number', meters.refusedForNow),
  });
  showCounter(registry, {
    name: 'gateway_login_refusals_total',
    help: 'Logins that the network refused or ended, by reason',
    labels: ['reason'],
    read: () => seriesOf('reason', meters.loginRefusals),
  });
}

function showSends(registry: Registry, meters: Meters): void {
  showCounter(registry, {
    name: 'gateway_messages_accepted_total',
    help: 'Messages accepted for sending, by lane',
    labels: ['lane'],
    read: () => seriesOf('lane', meters.accepted),
  });
  showCounter(registry, {
    name: 'gateway_sends_total',
    help: 'Messages that reached each outcome',
    labels: ['outcome'],
    read: () => seriesOf('outcome', meters.outcomes),
  });
  showCounter(registry, {
    name: 'gateway_send_failures_total',
    help: 'Failed messages, by error',
    labels: ['error'],
    read: () => seriesOf('error', meters.failures),
  });
  showHistogram(registry, {
    name: 'gateway_send_duration_seconds',
    help: 'Time of a message from accepted to sent, and from sent to delivered, by lane',
    labels: ['step', 'lane'],
    read: () => [...meters.sendSeconds].flatMap(([step, lanes]) => [...lanes].map(([lane, spread]) => [{ step, lane }, spread] as const)),
  });
  showCounter(registry, {
    name: 'gateway_messages_received_total',
    help: 'Messages received from the network and stored',
    read: () => [[{}, meters.received]],
  });
}

function showQueue(registry: Registry, { services: { actors }, store, clock }: MetricsParts): void {
  const sampler = new QueueSampler({ laneBacklogs: laneBacklogsIn(store), clock, running: () => actors.awake('device') });
  showGauge(registry, {
    name: 'gateway_queue_messages',
    help: 'Queued messages of the devices on this node, by lane; at most 1,000 are counted for each lane and device',
    labels: ['lane'],
    read: async () => (await sampler.sample()).lanes.map(({ lane, depth }): Series => [{ lane }, depth]),
  });
  showGauge(registry, {
    name: 'gateway_queue_oldest_seconds',
    help: 'Age of the oldest queued message, by lane; 0 if the lane is empty',
    labels: ['lane'],
    read: async () => (await sampler.sample()).lanes.map(({ lane, oldest }): Series => [{ lane }, oldest]),
  });
  showGauge(registry, {
    name: 'gateway_queue_unseen_devices',
    help: 'Devices on this node whose queue has not been counted yet; each scrape counts 100',
    read: async () => [[{}, (await sampler.sample()).unseen]],
  });
}

function showWebhooks(registry: Registry, { services: { deliveries }, meters, clock }: MetricsParts): void {
  showCounter(registry, {
    name: 'gateway_webhook_attempts_total',
    help: 'Finished requests to webhooks, by outcome of the delivery',
    labels: ['outcome'],
    read: () => seriesOf('outcome', meters.attempts),
  });
  showCounter(registry, {
    name: 'gateway_webhook_failures_total',
    help: 'Failed requests to webhooks, by error',
    labels: ['error'],
    read: () => seriesOf('error', meters.attemptFailures),
  });
  showHistogram(registry, {
    name: 'gateway_webhook_delivery_seconds',
    help: "Time from an event to the webhook's successful response, including retries",
    read: () => [[{}, meters.deliverySeconds]],
  });
  let seen = 0;
  const backlog = atMostEvery(5_000, clock, async () => {
    seen = await deliveries.backlog(MAX_BACKLOG).catch(() => seen);
    return seen;
  });
  showGauge(registry, {
    name: 'gateway_webhook_backlog',
    help: 'Pending deliveries of the whole cluster, including retries; at most 5,000 are counted',
    read: async () => [[{}, await soon(backlog(), clock, seen)]],
  });
}

const MAX_BACKLOG = 5_000;

function showCluster(registry: Registry, { services: { cluster }, meters }: MetricsParts): void {
  showGauge(registry, {
    name: 'gateway_cluster_nodes',
    help: 'Nodes that this node sees, including itself, by state',
    labels: ['state'],
    read() {
      const members = cluster.members();
      return (['active', 'draining'] as const).map((state): Series => [{ state }, members.filter((one) => one.state === state).length]);
    },
  });
  showGauge(registry, {
    name: 'gateway_stepped_down',
    help: '1 while this node runs no actors because the store responds only to other nodes',
    read: () => [[{}, Number(cluster.members().some(({ id, store }) => id === cluster.self.id && store === 'stepped_down'))]],
  });
  showGauge(registry, {
    name: 'gateway_leases',
    help: 'Leases that this node holds',
    read: () => [[{}, cluster.leases.held().length]],
  });
  showCounter(registry, {
    name: 'gateway_leases_lost_total',
    help: 'Actors that stopped because their lease was lost or uncertain, by kind',
    labels: ['kind'],
    read: () => seriesOf('kind', meters.leasesLost),
  });
  showCounter(registry, {
    name: 'gateway_hand_overs_total',
    help: 'Actors that this node handed over to another node, by kind',
    labels: ['kind'],
    read: () => seriesOf('kind', meters.handOvers),
  });
  showGauge(registry, {
    name: 'gateway_actors_homeless',
    help: 'Actors that should run but had no node at the last check; reported only by the node that runs the check',
    read: () => (meters.homeless === null ? [] : [[{}, meters.homeless]]),
  });
}

function showActors(registry: Registry, { services: { actors } }: MetricsParts): void {
  showGauge(registry, {
    name: 'gateway_actors_awake',
    help: 'Active actors in memory, by kind',
    labels: ['kind'],
    read: () => [...actors.census().awake].map(([kind, count]): Series => [{ kind }, count]),
  });
  showGauge(registry, {
    name: 'gateway_mailbox_messages',
    help: 'Messages waiting in all mailboxes',
    read: () => [[{}, actors.census().waiting]],
  });
  showGauge(registry, {
    name: 'gateway_mailbox_deepest',
    help: 'Messages waiting in the fullest mailbox',
    read: () => [[{}, actors.census().deepest]],
  });
}

function showStore(registry: Registry, { storeTimes, readiness, clock }: MetricsParts): void {
  showCounter(registry, {
    name: 'gateway_store_operations_total',
    help: 'Store operations, by kind',
    labels: ['operation'],
    read: () => Object.entries(storeTimes).map(([operation, { count }]): Series => [{ operation }, count]),
  });
  showHistogram(registry, {
    name: 'gateway_store_duration_seconds',
    help: 'Response time of the store, by operation; one operation in 16 is timed',
    labels: ['operation'],
    read: () => Object.entries(storeTimes).map(([operation, { seconds }]) => [{ operation }, seconds] as const),
  });
  const checks = atMostEvery(1_000, clock, () =>
    Promise.all(Object.entries(readiness).map(async ([check, run]): Promise<Series> => [{ check }, (await isOk(run, clock)) ? 1 : 0])),
  );
  showGauge(registry, {
    name: 'gateway_ready',
    help: '1 if this check of /ready passes, otherwise 0',
    labels: ['check'],
    read: checks,
  });
}

const CHECKED_WITHIN_MS = 2_000;

const isOk = (check: () => Promise<unknown>, clock: Clock): Promise<boolean> =>
  soon(
    check().then(
      () => true,
      () => false,
    ),
    clock,
    false,
  );

/** Returns `otherwise` on timeout, so that one part does not delay the other metrics. */
async function soon<T>(answer: Promise<T>, clock: Clock, otherwise: T): Promise<T> {
  const { promise: late, resolve } = Promise.withResolvers<T>();
  const cancel = clock.after(CHECKED_WITHIN_MS, () => resolve(otherwise));
  return Promise.race([answer, late]).finally(cancel);
}

function atMostEvery<T>(ms: number, clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<T> | null = null;
  return () => {
    if (answer !== null && clock.monotonic() - askedAt < ms) return answer;
    const before = answer;
    askedAt = clock.monotonic();
    answer = before === null ? ask() : ask().catch(() => before);
    return answer;
  };
}
