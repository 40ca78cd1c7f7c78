import { FairSlots } from '../../../runtime/fair-slots.ts';
import type { Logins } from '../../../store/accounts/logins.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import type { EventRow } from '../../../store/events/events.ts';
import type { PushStore, SubscriptionRow } from '../../../store/push/push.ts';
import type { EventLog } from '../events/event-log.ts';
import type { AssigneesOf } from '../live/visibility.ts';
import { noticeOf } from './notice.ts';
import type { PushClient } from './push-client.ts';

/**
 * Shows browser notifications for new customer messages. A notification may be lost, because the
 * number of concurrent requests and the queues are limited, and a tenant that exceeds its share
 * loses notifications.
 */

export interface NotifyDeps {
  readonly eventLog: Pick<EventLog, 'onNew'>;
  readonly store: PushStore;
  readonly post: PushClient;
  readonly logins: Pick<Logins, 'liveOf'>;
  readonly agents: Pick<Agents, 'activeOf'>;
  readonly tenants: Pick<Tenants, 'activeOf'>;
  readonly assigneesOf: AssigneesOf;
  now(): number;
  failed(cause: unknown): void;
}

const EVERY_MS = 30_000;
/** Maximum number of message groups at a time. Others are dropped: a late notification is useless. */
const MAX_UNDER_WAY = 200;
const SHARE = 20;
const MAX_BROWSERS = 64;
const SHARE_OF_BROWSERS = 16;
const MAX_WAITING = 1_000;
/** Older notifications are dropped, because the login may have ended or the agent been deactivated. */
const MAX_WAIT_MS = 30_000;

export function notifyBrowsers(deps: NotifyDeps): void {
  const dropped = new Error('too many notifications are in progress');
  const full = (): Error => dropped;
  const groups = new FairSlots({ slots: MAX_UNDER_WAY, share: SHARE, waiting: SHARE, full });
  const browsers = new FairSlots({ slots: MAX_BROWSERS, share: SHARE_OF_BROWSERS, waiting: MAX_WAITING, full });
  const unlessDropped = (cause: unknown): void => {
    if (cause !== dropped) throw cause;
  };
  const tell: Tell = (browser, event) => {
    const latest = deps.now() + MAX_WAIT_MS;
    return browsers.run(browser.tenant_id, async () => deps.now() <= latest && notifyBrowser(deps, browser, event)).catch(unlessDropped);
  };

  function notify(tenantId: string, events: readonly EventRow[]): void {
    groups
      .run(tenantId, () => notifyTenant(deps, tell, tenantId, events))
      .catch(unlessDropped)
      .catch(deps.failed);
  }

  deps.eventLog.onNew((events) => {
    const written = events.filter((event) => noticeOf(event, 'en') !== null);
    for (const [tenantId, own] of Map.groupBy(written, ({ tenant_id }) => tenant_id)) notify(tenantId, own);
  });
}

type Tell = (browser: SubscriptionRow, event: EventRow) => Promise<unknown>;

async function notifyTenant(deps: NotifyDeps, tell: Tell, tenantId: string, events: readonly EventRow[]): Promise<void> {
  const browsers = await liveBrowsers(deps, tenantId);
  if (browsers.length === 0) return;
  for (const event of events) {
    const assignees = await deps.assigneesOf(tenantId, event.session_id, String(event.data['chat_id']));
    const theirs = browsers.filter(({ role, agent_id }) => role === 'admin' || assignees.some((one) => one === null || one === agent_id));
    await Promise.all(theirs.map((browser) => tell(browser, event)));
  }
}

async function liveBrowsers({ store, logins, agents, tenants, now }: NotifyDeps, tenantId: string): Promise<readonly SubscriptionRow[]> {
  const all = await store.list(tenantId);
  if (all.length === 0) return all;
  const agentIds = new Set(all.filter(({ role }) => role === 'agent').map(({ agent_id }) => agent_id));
  const [families, activeAgentIds, active] = await Promise.all([
    logins.liveOf([...new Set(all.map(({ family }) => family))], now()),
    agentIds.size > 0 ? agents.activeOf([...agentIds]) : [],
    tenants.activeOf([tenantId]),
  ]);
  const [live, activeAgents] = [new Set(families), new Set(activeAgentIds)];
  const isLive = ({ family }: SubscriptionRow): boolean => live.has(family);
  await Promise.all(all.filter((row) => !isLive(row)).map(store.forget));
  if (active.length === 0) return [];
  return all.filter((row) => isLive(row) && (row.role === 'admin' || activeAgents.has(row.agent_id)));
}

async function notifyBrowser({ store, post, now }: NotifyDeps, browser: SubscriptionRow, event: EventRow): Promise<void> {
  const notice = noticeOf(event, browser.lang);
  if (notice === null || !(await store.takeTurn(`${browser._id}:${notice.tag}`, EVERY_MS, now()))) return;
  if ((await post.send(browser, notice)) === 'gone') await store.forget(browser);
}
