import type { Clock } from '../../../runtime/clock.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { EventRow, Events } from '../../../store/events/events.ts';
import { batchesOf } from '../../../store/patterns/batches-of.ts';
import type { TenantOwner, Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { Deliveries, DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { OpenedWebhook, OtherFormat, Webhooks } from '../../../store/webhooks/webhooks.ts';
import type { EventLog } from '../../services/events/event-log.ts';
import { alertOf } from '../../services/events/session-events.ts';
import { bodyOf, type EventBody } from '../../services/events/types.ts';
import type { Around } from '../../services/webhooks/forms/form.ts';
import { FORMS } from '../../services/webhooks/forms/forms.ts';
import { newDelivery, WEBHOOK_REMOVED } from '../../services/webhooks/new-delivery.ts';
import type { Snapshot } from '../protocol.ts';

export interface SnapshotDeps {
  readonly events: Events;
  readonly webhooks: Pick<Webhooks<OpenedWebhook>, 'list'>;
  readonly deliveries: Pick<Deliveries, 'add' | 'abandon'>;
  readonly wakeups: Pick<Wakeups, 'find'>;
  readonly devices: Pick<Devices, 'alerting' | 'alerted' | 'find'>;
  readonly eventLog: EventLog;
  readonly clock: Clock;
  readonly address: string;
  localeOf(tenantId: string): Promise<'en' | 'id'>;
}

const EVENTS_PER_POLL = 200;
const ALERTS_PER_POLL = 100;
const BYTES_PER_WRITE = 1_000_000;

interface Fanned {
  readonly event: EventRow;
  readonly rows: readonly DeliveryRow[];
}

/** `known` lists the webhooks that the last poll saw. Returns null if fenced. Idempotent. */
export async function loadSnapshot(deps: SnapshotDeps, owner: TenantOwner, known: readonly string[]): Promise<Snapshot | null> {
  const { tenantId, epoch } = owner;
  // Read the wakeups first, so that later ones are not acknowledged by mistake.
  const wakeups = await deps.wakeups.find(tenantId);
  if (wakeups?.epoch !== epoch) return null;
  const alertAt = await raiseAlerts(deps, tenantId);
  const webhooks = await deps.webhooks.list(tenantId);
  const deleted = known.filter((id) => webhooks.every(({ _id }) => _id !== id));
  for (const id of deleted) await deps.deliveries.abandon(tenantId, id, WEBHOOK_REMOVED);
  const rows: DeliveryRow[] = [];
  let allNew = true;
  let count = 0;
  for await (const events of batchesOf(deps.events.unfanned(tenantId, EVENTS_PER_POLL))) {
    const fanned = await fanOut(deps, owner, events, webhooks);
    rows.push(...fanned.rows);
    allNew &&= fanned.allNew;
    count += events.length;
  }
  const moreEvents = count === EVENTS_PER_POLL;
  const { rev, sends_rev: sendsRev = 0, billing_rev: billingRev = 0, questions_rev: questionsRev = 0 } = wakeups;
  return { rev, sendsRev, billingRev, questionsRev, webhooks, fresh: allNew ? rows : [], others: !allNew, moreEvents, alertAt };
}

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

async function fanOut(
  { deliveries, devices, events, clock, address }: SnapshotDeps,
  { tenantId, epoch }: TenantOwner,
  found: readonly EventRow[],
  webhooks: readonly OpenedWebhook[],
): Promise<{ readonly rows: readonly DeliveryRow[]; readonly allNew: boolean }> {
  const now = clock.now();
  const isTranslated = webhooks.some(({ format }) => format !== undefined);
  const known = isTranslated ? await devicesOf(devices, tenantId, found) : NO_DEVICES;
  const fanned = found.map((event) => ({ event, rows: deliveriesOf(event, webhooks, { known, address, epoch, now }) }));
  let allNew = true;
  for (const some of writtenTogether(fanned)) {
    const rows = some.flatMap(({ rows }) => rows);
    if (!(await fairSlices.run(tenantId, () => deliveries.add(rows)))) allNew = false;
    await events.fanned(
      tenantId,
      some.map(({ event }) => event._id),
    );
  }
  return { rows: fanned.flatMap(({ rows }) => rows), allNew };
}

type KnownDevices = ReadonlyMap<string, Around['device']>;

const NO_DEVICES: KnownDevices = new Map();

async function devicesOf(devices: SnapshotDeps['devices'], tenantId: string, events: readonly EventRow[]): Promise<KnownDevices> {
  const ids = new Set(events.flatMap(({ session_id }) => session_id ?? []));
  const rows = await Promise.all([...ids].map((id) => devices.find(tenantId, id)));
  return new Map(rows.flatMap((row) => (row ? [[row._id, { id: row._id, name: row.name ?? row._id, phone: row.phone_number }]] : [])));
}

interface Sending {
  readonly known: KnownDevices;
  readonly address: string;
  readonly epoch: number;
  readonly now: number;
}

function deliveriesOf(
  event: EventRow,
  webhooks: readonly OpenedWebhook[],
  { known, address, epoch, now }: Sending,
): readonly DeliveryRow[] {
  const own = bodyOf(event);
  const text = JSON.stringify(own);
  const device = event.session_id === null ? undefined : known.get(event.session_id);
  return webhooks
    .filter(({ events, session_id }) => events.includes(event.type) && (session_id === undefined || session_id === event.session_id))
    .flatMap((webhook) => {
      const body = webhook.format === undefined ? text : translated(webhook.format, own, device && { device, address, url: webhook.url });
      if (body === null) return [];
      return [newDelivery(webhook, { event_id: event._id, event: event.type, body }, { isAsked: false, epoch, now })];
    });
}

/** Returns null if the other gateway has no such event, or if the device was removed. */
function translated(format: OtherFormat, event: EventBody, around: Around | undefined): string | null {
  const body = around ? FORMS[format](event, around) : null;
  return body && JSON.stringify(body);
}

function writtenTogether(fanned: readonly Fanned[]): readonly (readonly Fanned[])[] {
  let bytes = 0;
  const writes = Map.groupBy(fanned, ({ rows }) => {
    const nth = Math.trunc(bytes / BYTES_PER_WRITE);
    bytes = rows.reduce((sum, { body }) => sum + body.length, bytes);
    return nth;
  });
  return [...writes.values()];
}
