import type { EventRow } from '../../store/events.ts';
import type { Logins } from '../../store/logins.ts';
import type { PushStore, SubscriptionRow } from '../../store/push.ts';
import type { EventLog } from '../events/event-log.ts';
import type { AssigneeOf } from '../stream/sight.ts';
import { noticeOf } from './notice.ts';
import type { Post } from './post.ts';

export interface NotifyPorts {
  readonly eventLog: Pick<EventLog, 'onNew'>;
  readonly store: PushStore;
  readonly post: Post;
  readonly logins: Pick<Logins, 'liveOf'>;
  readonly assigneeOf: AssigneeOf;
  now(): number;
  failed(cause: unknown): void;
}

/** spec.md part 8 "Push". */
const EVERY_MS = 30_000;
/** Groups of messages whose notices are on their way; more than that are not told of: a notice that comes late helps nobody. */
const MOST_UNDER_WAY = 200;

/**
 * Tells browsers when a customer writes in a 1:1 chat: the owner of every chat, an agent of chats assigned to them or to nobody. A notice is
 * lost when this process dies first; the message itself is not.
 */
export function notifyBrowsers(ports: NotifyPorts): void {
  let underWay = 0;

  function notify(tenantId: string, events: readonly EventRow[]): void {
    if (underWay >= MOST_UNDER_WAY) return;
    underWay += 1;
    notifyTenant(ports, tenantId, events)
      .catch(ports.failed)
      .finally(() => {
        underWay -= 1;
      });
  }

  ports.eventLog.onNew((events) => {
    const written = events.filter((event) => noticeOf(event, 'en') !== null);
    for (const [tenantId, own] of Map.groupBy(written, ({ tenant_id }) => tenant_id)) notify(tenantId, own);
  });
}

async function notifyTenant(ports: NotifyPorts, tenantId: string, events: readonly EventRow[]): Promise<void> {
  const browsers = await liveBrowsers(ports, tenantId);
  if (browsers.length === 0) return;
  for (const event of events) {
    const assignee = await ports.assigneeOf(tenantId, event.session_id, String(event.data['chat_id']));
    const theirs = browsers.filter(({ role, agent_id }) => role === 'admin' || assignee === null || assignee === agent_id);
    await Promise.all(theirs.map((browser) => notifyBrowser(ports, browser, event)));
  }
}

async function liveBrowsers({ store, logins, now }: NotifyPorts, tenantId: string): Promise<readonly SubscriptionRow[]> {
  const all = await store.list(tenantId);
  if (all.length === 0) return all;
  const live = new Set(await logins.liveOf([...new Set(all.map(({ family }) => family))], now()));
  const isLive = ({ family }: SubscriptionRow): boolean => live.has(family);
  await Promise.all(all.filter((row) => !isLive(row)).map(store.forget));
  return all.filter(isLive);
}

async function notifyBrowser({ store, post, now }: NotifyPorts, browser: SubscriptionRow, event: EventRow): Promise<void> {
  const notice = noticeOf(event, browser.lang);
  if (notice === null || !(await store.takeTurn(`${browser._id}:${notice.tag}`, EVERY_MS, now()))) return;
  if ((await post.send(browser, notice)) === 'gone') await store.forget(browser);
}
