import type { Logger } from 'pino';
import { sealedPush } from '../../actors/services/credentials/sealed-secrets.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import type { PullReaders } from '../../actors/services/events/readers.ts';
import type { IdentityResolver } from '../../actors/services/identities/identities.ts';
import { createLive, type Live } from '../../actors/services/live/live.ts';
import type { AssigneesOf } from '../../actors/services/live/visibility.ts';
import { notifyBrowsers } from '../../actors/services/push/notify.ts';
import { createPush, type Push } from '../../actors/services/push/push.ts';
import { createPushClient } from '../../actors/services/push/push-client.ts';
import { isIn, rangesOf } from '../../runtime/address-ranges.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Cluster } from '../../runtime/cluster/port.ts';
import type { Egress } from '../../runtime/egress/egress.ts';
import type { Sealer } from '../../runtime/sealing/seal.ts';
import { apiKeysIn } from '../../store/accounts/api-keys.ts';
import { loginsIn } from '../../store/accounts/logins.ts';
import { ticketsIn } from '../../store/accounts/stream-tickets.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import { agentsIn } from '../../store/agents/agents.ts';
import type { Chats } from '../../store/conversations/chats.ts';
import { eventInterestsIn } from '../../store/events/event-interests.ts';
import { type EventOrder, eventOrderIn } from '../../store/events/event-order.ts';
import type { Store } from '../../store/port.ts';
import { pushIn } from '../../store/push/push.ts';
import type { Config } from './config.ts';
import { eventsKeptMs } from './tenants.ts';

export interface LiveServices {
  readonly live: Live;
  readonly eventOrder: EventOrder;
  readonly push: Push;
  readonly assigneesOf: AssigneesOf;
}

export interface LiveParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly cluster: Cluster;
  readonly tenants: Tenants;
  readonly chats: Chats;
  readonly people: Pick<IdentityResolver, 'resolve'>;
  readonly eventLog: EventLog;
  readonly pullReaders: Pick<PullReaders, 'endOrphans'>;
  readonly egress: Egress;
}

export function startLive({
  config,
  clock,
  log,
  store,
  sealer,
  cluster,
  tenants,
  chats,
  people,
  eventLog,
  pullReaders,
  egress,
}: LiveParts): LiveServices {
  const logins = loginsIn(store);
  const keys = apiKeysIn(store);
  const agents = agentsIn(store);
  const pushStore = sealedPush(pushIn(store), sealer);
  const assigneesOf: AssigneesOf = async (tenantId, sessionId, chatId) => {
    // An event contains the chat's address at the time of the event, which may have changed since then.
    const chat = await people.resolve(tenantId, chatId);
    if (sessionId === null) return (await chats.assigneesOf(tenantId, [chat])).get(chat) ?? [];
    return [(await chats.assignees(tenantId, sessionId, [chat])).get(chat) ?? null];
  };
  const eventOrder = eventOrderIn(store);
  const maintenanceFailed = (cause: unknown): void =>
    log.warn({ event: 'live.maintenance_failed', err: cause }, 'the maintenance of live streams failed');
  const live = createLive({
    clock,
    keptMs: eventsKeptMs(config),
    cluster,
    tickets: ticketsIn(store),
    eventLog,
    eventOrder,
    interests: eventInterestsIn(store),
    logins,
    keys,
    agents,
    allows: (ranges, address) => isIn(rangesOf(ranges), address),
    tenants,
    assigneesOf,
    mostPerTenant: config.streams_per_tenant,
    most: config.streams_per_node,
    failed: maintenanceFailed,
  });
  // Ends the streams of revoked keys and ended logins, which must no longer be able to read events.
  live.onAuthorizationChanged((tenantId) => void pullReaders.endOrphans(tenantId, clock.now()).catch(maintenanceFailed));
  const post = createPushClient({ store: pushStore, dispatcher: egress.dispatcher, clock, contact: () => contactOf(config) });
  notifyBrowsers({
    eventLog,
    store: pushStore,
    post,
    logins,
    agents,
    tenants,
    assigneesOf,
    now: () => clock.now(),
    failed: (cause) => log.warn({ event: 'push.failed', err: cause }, 'browsers were not notified'),
  });
  return { live, eventOrder, push: createPush({ store: pushStore, post, allow: config.egress_allow }), assigneesOf };
}

function contactOf({ push_contact, base_url, host }: Config): string {
  if (push_contact !== null) return push_contact;
  return base_url?.startsWith('https:') ? base_url : `mailto:push@${host}`;
}
