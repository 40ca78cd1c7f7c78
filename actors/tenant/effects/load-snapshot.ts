import type { Clock } from '../../../runtime/clock.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { EventRow, Events } from '../../../store/events/events.ts';
import type { TenantOwner, Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { Deliveries, DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { WebhookRow, Webhooks } from '../../../store/webhooks/webhooks.ts';
import type { EventLog } from '../../services/events/event-log.ts';
import { alertOf } from '../../services/events/session-events.ts';
import { bodyOf } from '../../services/events/types.ts';
import { newDelivery } from '../../services/webhooks/new-delivery.ts';
import type { Snapshot } from '../protocol.ts';

export interface SnapshotDeps {
  readonly events: Events;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly deliveries: Pick<Deliveries, 'add'>;
  readonly wakeups: Pick<Wakeups, 'find'>;
  readonly devices: Pick<Devices, 'alerting' | 'alerted'>;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  /** The language of the business. */
  localeOf(tenantId: string): Promise<'en' | 'id'>;
}

const EVENTS_PER_POLL = 200;
const ALERTS_PER_POLL = 100;

/** Looks at all that a tenant may have to do, and turns new events into deliveries. Idempotent: repeated after a crash it adds nothing. Null: fenced. */
export async function loadSnapshot(deps: SnapshotDeps, owner: TenantOwner): Promise<Snapshot | null> {
  const { tenantId, epoch } = owner;
  // First of all, so that nothing that is put on it from here on is crossed off.
  const wakeups = await deps.wakeups.find(tenantId);
  if (wakeups?.epoch !== epoch) return null;
  const alertAt = await raiseAlerts(deps, tenantId);
  const [webhooks, events] = await Promise.all([deps.webhooks.list(tenantId), deps.events.unfanned(tenantId, EVENTS_PER_POLL)]);
  const now = deps.clock.now();
  const rows = events.flatMap((event) => deliveriesOf(event, webhooks, epoch, now));
  const allNew = await deps.deliveries.add(rows);
  if (events.length > 0) {
    await deps.events.fanned(
      tenantId,
      events.map(({ _id }) => _id),
    );
  }
  const moreEvents = events.length === EVENTS_PER_POLL;
  const { rev, sends_rev: sendsRev = 0, billing_rev: billingRev = 0, questions_rev: questionsRev = 0 } = wakeups;
  return { rev, sendsRev, billingRev, questionsRev, webhooks, fresh: allNew ? rows : [], others: !allNew, moreEvents, alertAt };
}

/** Records an alert of each device that has been offline for too long; gives when the next one will have been. */
async function raiseAlerts({ devices, eventLog, clock, localeOf }: SnapshotDeps, tenantId: string): Promise<number | null> {
  const alerting = await devices.alerting(tenantId, ALERTS_PER_POLL);
  const now = clock.now();
  const due = alerting.filter(({ alert_at }) => (alert_at ?? now) <= now);
  const locale = due.length > 0 ? await localeOf(tenantId) : 'en';
  await eventLog.record(
    tenantId,
    due.map((device) => alertOf(device, locale, now)),
  );
  for (const { _id, alert_at } of due) await devices.alerted(tenantId, _id, alert_at ?? now);
  const next = alerting.find((device) => !due.includes(device));
  return due.length === ALERTS_PER_POLL ? now : (next?.alert_at ?? null);
}

function deliveriesOf(event: EventRow, webhooks: readonly WebhookRow[], epoch: number, now: number): readonly DeliveryRow[] {
  const what = { event_id: event._id, event: event.type, body: JSON.stringify(bodyOf(event)) };
  return webhooks
    .filter(({ events }) => events.includes(event.type))
    .map((webhook) => newDelivery(webhook, what, { isAsked: false, epoch, now }));
}
