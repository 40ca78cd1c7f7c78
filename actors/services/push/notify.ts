import { FairSlots } from '../../../runtime/fair-slots.ts';
import type { Logins } from '../../../store/accounts/logins.ts';
import type { EventRow } from '../../../store/events/events.ts';
import type { PushStore, SubscriptionRow } from '../../../store/push/push.ts';
import type { EventLog } from '../events/event-log.ts';
import type { AssigneesOf } from '../live/visibility.ts';
import { noticeOf } from './notice.ts';
import type { PushClient } from './push-client.ts';

export interface NotifyDeps {
  readonly eventLog: Pick<EventLog, 'onNew'>;
  readonly store: PushStore;
  readonly post: PushClient;
  readonly logins: Pick<Logins, 'liveOf'>;
  readonly assigneesOf: AssigneesOf;
  now(): number;
  failed(cause: unknown): void;
}

/** At most one notification for each chat and browser in this time. */
const EVERY_MS = 30_000;
/** Groups of messages whose notifications are in progress; further ones are dropped: a late notification is useless. */
const MAX_UNDER_WAY = 200;
/** For each tenant, so that one tenant's flood does not silence another's. */
const SHARE = 20;

/**
 * Notifies browsers when a customer writes in a 1:1 chat: the owner of every chat, an agent of chats assigned to them or to nobody. A notice is
 * lost when this process dies first; the message itself is not.
 */
export function notifyBrowsers(deps: NotifyDeps): void {
  const dropped = new Error('too many notices are under way');
  const slots = new FairSlots({ slots: MAX_UNDER_WAY, share: SHARE, waiting: SHARE, full: () => dropped });

  function notify(tenantId: string, events: readonly EventRow[]): void {
    slots
      .run(tenantId, () => notifyTenant(deps, tenantId, events))
      .catch((cause) => {
        if (cause !== dropped) deps.failed(cause);
      });
  }

  deps.eventLog.onNew((events) => {
    const written = events.filter((event) => noticeOf(event, 'en') !== null);
    for (const [tenantId, own] of Map.groupBy(written, ({ tenant_id }) => tenant_id)) notify(tenantId, own);
  });
}

async function notifyTenant(deps: NotifyDeps, tenantId: string, events: readonly EventRow[]): Promise<void> {
  const browsers = await liveBrowsers(deps, tenantId);
  if (browsers.length === 0) return;
  for (const event of events) {
    const assignees = await deps.assigneesOf(tenantId, event.session_id, String(event.data['chat_id']));
    const theirs = browsers.filter(({ role, agent_id }) => role === 'admin' || assignees.some((one) => one === null || one === agent_id));
    await Promise.all(theirs.map((browser) => notifyBrowser(deps, browser, event)));
  }
}

async function liveBrowsers({ store, logins, now }: NotifyDeps, tenantId: string): Promise<readonly SubscriptionRow[]> {
  const all = await store.list(tenantId);
  if (all.length === 0) return all;
  const live = new Set(await logins.liveOf([...new Set(all.map(({ family }) => family))], now()));
  const isLive = ({ family }: SubscriptionRow): boolean => live.has(family);
  await Promise.all(all.filter((row) => !isLive(row)).map(store.forget));
  return all.filter(isLive);
}

async function notifyBrowser({ store, post, now }: NotifyDeps, browser: SubscriptionRow, event: EventRow): Promise<void> {
  const notice = noticeOf(event, browser.lang);
  if (notice === null || !(await store.takeTurn(`${browser._id}:${notice.tag}`, EVERY_MS, now()))) return;
  if ((await post.send(browser, notice)) === 'gone') await store.forget(browser);
}
