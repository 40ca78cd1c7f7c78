import type { Clock } from '../../runtime/clock.ts';
import { newId } from '../../runtime/ids.ts';
import type { Agenda, TenantOwner } from '../../store/agenda.ts';
import type { Deliveries, DeliveryRow } from '../../store/deliveries.ts';
import type { Devices } from '../../store/devices.ts';
import type { EventRow, Events } from '../../store/events.ts';
import type { WebhookRow, Webhooks } from '../../store/webhooks.ts';
import type { EventLog } from '../events/event-log.ts';
import { alertOf } from '../events/session-events.ts';
import { bodyOf } from '../events/types.ts';
import type { Seen } from './protocol.ts';

export interface LookPorts {
  readonly events: Events;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly deliveries: Pick<Deliveries, 'add'>;
  readonly agenda: Pick<Agenda, 'find'>;
  readonly devices: Pick<Devices, 'alerting' | 'alerted'>;
  readonly eventLog: EventLog;
  readonly clock: Clock;
}

const EVENTS_A_LOOK = 200;
const ALERTS_A_LOOK = 100;
/** How long the log of deliveries goes back, and how long a paused webhook keeps what waits for it. */
const KEPT_MS = 7 * 86_400_000;

/** Looks at all that a tenant may have to do, and turns new events into deliveries. Idempotent: repeated after a crash it adds nothing. Null: fenced. */
export async function lookAround(ports: LookPorts, owner: TenantOwner): Promise<Seen | null> {
  const { tenantId, epoch } = owner;
  // First of all, so that nothing that is put on it from here on is crossed off.
  const agenda = await ports.agenda.find(tenantId);
  if (agenda?.epoch !== epoch) return null;
  const alertAt = await raiseAlerts(ports, tenantId);
  const [webhooks, events] = await Promise.all([ports.webhooks.list(tenantId), ports.events.unfanned(tenantId, EVENTS_A_LOOK)]);
  const now = ports.clock.now();
  const rows = events.flatMap((event) => deliveriesOf(event, webhooks, epoch, now));
  const allNew = await ports.deliveries.add(rows);
  if (events.length > 0) {
    await ports.events.fanned(
      tenantId,
      events.map(({ _id }) => _id),
    );
  }
  const moreEvents = events.length === EVENTS_A_LOOK;
  return { rev: agenda.rev, sendsRev: agenda.sends_rev ?? 0, webhooks, fresh: allNew ? rows : [], others: !allNew, moreEvents, alertAt };
}

/** Records an alert of each device that has been offline for too long; gives when the next one will have been. */
async function raiseAlerts({ devices, eventLog, clock }: LookPorts, tenantId: string): Promise<number | null> {
  const alerting = await devices.alerting(tenantId, ALERTS_A_LOOK);
  const now = clock.now();
  const due = alerting.filter(({ alert_at }) => (alert_at ?? now) <= now);
  await eventLog.record(
    tenantId,
    due.map((device) => alertOf(device, now)),
  );
  for (const { _id, alert_at } of due) await devices.alerted(tenantId, _id, alert_at ?? now);
  const next = alerting.find((device) => !due.includes(device));
  return due.length === ALERTS_A_LOOK ? now : (next?.alert_at ?? null);
}

function deliveriesOf(event: EventRow, webhooks: readonly WebhookRow[], epoch: number, now: number): readonly DeliveryRow[] {
  const what = { event_id: event._id, event: event.type, body: JSON.stringify(bodyOf(event)) };
  return webhooks
    .filter(({ events }) => events.includes(event.type))
    .map((webhook) => newDelivery(webhook, what, { isAsked: false, epoch, now }));
}

/** A delivery that is due at once; `isAsked`: somebody wants it, whether the event was delivered before or not. */
export function newDelivery(
  { _id: webhook_id, tenant_id }: Pick<WebhookRow, '_id' | 'tenant_id'>,
  what: Pick<DeliveryRow, 'event_id' | 'event' | 'body'>,
  { isAsked, epoch, now }: { readonly isAsked: boolean; readonly epoch: number; readonly now: number },
): DeliveryRow {
  const { event_id, event, body } = what;
  const _id = newId(now);
  return {
    _id,
    tenant_id,
    webhook_id,
    event_id,
    event,
    asked: isAsked ? _id : '',
    body,
    attempt: 0,
    status: 'pending',
    response_status: null,
    error: null,
    duration_ms: null,
    next_attempt_at: now,
    epoch,
    created_at: now,
    expires_at: now + KEPT_MS,
  };
}
