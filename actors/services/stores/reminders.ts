import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { ScheduledRow } from '../../../store/scheduling/scheduled.ts';
import type { StoreHooks } from '../../../store/store-links/hooks.ts';
import type { StoreLinks } from '../../../store/store-links/links.ts';
import { zoneOfPhone } from '../../domain/phone-zones.ts';
import { settingsOf } from '../../domain/settings.ts';
import { opensAt } from '../../domain/zones.ts';
import { phoneOf } from '../../network/jid.ts';
import type { Remembered } from './remembered.ts';

/** Whether to send a reminder. A number is the time (epoch ms) to which it is postponed. */
export type ReminderVerdict = 'send' | 'drop' | number;

export type CheckReminder = (row: ScheduledRow, now: number) => Promise<ReminderVerdict>;

export interface ReminderDeps {
  readonly links: Pick<StoreLinks, 'find'>;
  readonly hooks: Pick<StoreHooks, 'isBehind'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly remembered: Pick<Remembered, 'checkout'>;
}

const BEHIND_MS = 5_000;
/** An order within this time before the checkout's first webhook prevents a reminder. */
const ORDERED_BEFORE_MS = 86_400_000;

export function reminderCheck({ links, hooks, tenants, remembered }: ReminderDeps): CheckReminder {
  return async ({ reminder, tenant_id, to }, now) => {
    if (!reminder) return 'send';
    const [link, tenant] = await Promise.all([links.find(tenant_id, reminder.link_id), tenants.find(tenant_id)]);
    const checkout = link && (await remembered.checkout(reminder.link_id, reminder.checkout_id));
    if (!link?.enabled || !link.templates.abandoned_checkout.enabled || !tenant || checkout?.status !== 'waiting') return 'drop';
    // A webhook could not be read. It may have reported that this checkout was bought.
    if (link.unreadable_at !== null && link.unreadable_at >= checkout.seenAt - ORDERED_BEFORE_MS) return 'drop';
    if (await hooks.isBehind(link._id)) return now + BEHIND_MS;
    const { enabled, zone, ...hours } = settingsOf(tenant).send_window;
    if (!enabled) return 'send';
    const phone = phoneOf(to);
    const ownZone = zone === 'recipient' && phone !== null ? zoneOfPhone(phone) : null;
    const opens = opensAt(hours, ownZone ?? tenant.profile.timezone, now);
    return opens <= now ? 'send' : opens;
  };
}
