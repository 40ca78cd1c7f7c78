import type { Logger } from 'pino';
import type { Egress } from '../actors/egress/egress.ts';
import type { EventLog } from '../actors/events/event-log.ts';
import type { People } from '../actors/people/people.ts';
import { notifyBrowsers } from '../actors/push/notify.ts';
import { createPost } from '../actors/push/post.ts';
import { createPush, type Push } from '../actors/push/push.ts';
import { createLive, type Live } from '../actors/stream/live.ts';
import type { AssigneeOf } from '../actors/stream/sight.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Cluster } from '../runtime/cluster/port.ts';
import { agentsIn } from '../store/agents.ts';
import { apiKeysIn } from '../store/api-keys.ts';
import type { Chats } from '../store/chats.ts';
import type { Store } from '../store/collection.ts';
import { type EventOrder, eventOrderIn } from '../store/event-order.ts';
import { loginsIn } from '../store/logins.ts';
import { pushIn } from '../store/push.ts';
import type { Tenants } from '../store/tenants.ts';
import { ticketsIn } from '../store/tickets.ts';
import type { Config } from './config.ts';

/** What hears of events beside webhooks. */
export interface StreamWorld {
  readonly live: Live;
  readonly eventOrder: EventOrder;
  readonly push: Push;
  readonly assigneeOf: AssigneeOf;
}

export interface StreamParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly tenants: Tenants;
  readonly chats: Chats;
  readonly people: Pick<People, 'canonical'>;
  readonly eventLog: EventLog;
  readonly egress: Egress;
}

export function startStreams({ config, clock, log, store, cluster, tenants, chats, people, eventLog, egress }: StreamParts): StreamWorld {
  const logins = loginsIn(store);
  const keys = apiKeysIn(store);
  const pushStore = pushIn(store);
  const assigneeOf: AssigneeOf = async (tenantId, sessionId, chatId) => {
    if (sessionId === null) return null;
    // An event keeps the address that its chat had when it happened.
    const chat = await people.canonical(tenantId, chatId);
    return (await chats.assignees(tenantId, sessionId, [chat])).get(chat) ?? null;
  };
  const live = createLive({
    clock,
    cluster,
    tickets: ticketsIn(store),
    eventLog,
    logins,
    keys,
    agents: agentsIn(store),
    tenants,
    assigneeOf,
    mostPerTenant: config.streams_per_tenant,
    most: config.streams_per_node,
    failed: (cause) => log.warn({ err: cause }, 'live streams could not be looked after'),
  });
  const post = createPost({ store: pushStore, dispatcher: egress.dispatcher, clock, contact: () => contactOf(config) });
  notifyBrowsers({
    eventLog,
    store: pushStore,
    post,
    logins,
    assigneeOf,
    now: () => clock.now(),
    failed: (cause) => log.warn({ err: cause }, 'browsers were not notified'),
  });
  return { live, eventOrder: eventOrderIn(store), push: createPush({ store: pushStore, post, allow: config.egress_allow }), assigneeOf };
}

/** Push services want to know whom to write to. */
function contactOf({ push_contact, base_url, host }: Config): string {
  if (push_contact !== null) return push_contact;
  return base_url?.startsWith('https:') ? base_url : `mailto:push@${host}`;
}
