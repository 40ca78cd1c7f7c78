import { systemClock } from '../../../runtime/clock.ts';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { auditLogIn } from '../../../store/audit/audit-log.ts';
import type { AuditDraft } from '../../../store/audit/entry.ts';
import { type CampaignRow, campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { type RecipientRow, recipientsIn } from '../../../store/campaigns/recipients.ts';
import type { ConsentRow } from '../../../store/consent/consent-row.ts';
import { consentsIn } from '../../../store/consent/consents.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { type EventRow, eventsIn } from '../../../store/events/events.ts';
import { type MediaRow, mediaSpec } from '../../../store/media/media.ts';
import type { Store } from '../../../store/port.ts';
import { type DeliveryRow, deliveriesIn } from '../../../store/webhooks/deliveries.ts';
import { inBatches } from './in-batches.ts';

const DAY_MS = 86_400_000;
const MEDIA_SHARE = 50;
const AUDIT_SHARE = 50;
const LIST_SHARE = 10;
/** Stands for a webhook that does not exist yet. The real one is created later, in furnish.ts. */
const WEBHOOK = '01JZX5ZB4T8QKX3N9V7C2M6D1E';

const idOf = (at: number, nth: number): string => `${idFloor(at).slice(0, 16)}${String(nth).padStart(10, '0')}`;
const phoneAt = (nth: number): string => String(6_281_200_000_000 + nth);

/** Each list gets a tenth of `count` entries, except files, which get a fiftieth. */
export async function plantLists(store: Store, device: DeviceRow, count: number, begun: number): Promise<Readonly<Record<string, string>>> {
  const listed = Math.ceil(count / LIST_SHARE);
  const { tenant_id, _id: session_id } = device;
  const expires_at = systemClock.now() + 30 * DAY_MS;
  const at = (nth: number): number => begun + nth * 10;
  const consents = consentsIn(store, (_tenantId, subject) => subject);
  await inBatches(listed, phoneAt, (phones) => {
    let nth = 0;
    return consents.change(tenant_id, phones, (subject) => consentRow(tenant_id, subject, at(Number(subject) % listed), nth++ % 20 === 0));
  });
  const events = eventsIn(store);
  const eventAt = (nth: number): EventRow => ({
    ...{ _id: `evt_${idOf(at(nth), nth)}`, tenant_id, session_id, type: 'message.sent', row: `planted ${nth}`, occurred_at: at(nth) },
    ...{
      data: { id: idOf(at(nth), nth), chat_id: phoneAt(nth), status: 'sent' },
      fanned: true,
      batch: 1 + Math.floor(nth / 100),
      expires_at,
    },
  });
  await inBatches(listed, eventAt, (some) => events.add(some));
  const deliveries = deliveriesIn(store);
  const deliveryAt = (nth: number): DeliveryRow => ({
    ...{ _id: idOf(at(nth), nth), tenant_id, webhook_id: WEBHOOK, event_id: `evt_${idOf(at(nth), nth)}`, event: 'message.sent', asked: '' },
    ...{ body: JSON.stringify(eventAt(nth)), attempt: 1, status: nth % 1_000 === 0 ? 'failed' : 'delivered', response_status: 200 },
    ...{ error: null, duration_ms: 12, next_attempt_at: null, epoch: 1, created_at: at(nth), expires_at },
  });
  await inBatches(listed, deliveryAt, (some) => deliveries.add(some));
  const files = store.collection<MediaRow>(mediaSpec);
  const fileAt = (nth: number): MediaRow => ({
    ...{ _id: `med_${idOf(at(nth), nth)}`, tenant_id, blob: `b${nth}`, size: 10_000, content_type: 'image/jpeg', filename: null },
    ...{ sha256: '0'.repeat(64), devices: [session_id], chat_id: null, agent_id: null, created_at: at(nth) },
  });
  await inBatches(Math.ceil(count / MEDIA_SHARE), fileAt, (some) => files.insertMany(some));
  return { '/v1/blasts': await plantCampaign(store, device, listed, begun), '/v1/webhooks/deliveries': idOf(at(0), 0) };
}

async function plantCampaign(store: Store, { tenant_id, _id: session_id }: DeviceRow, count: number, begun: number): Promise<string> {
  const campaign: CampaignRow = {
    ...{ _id: idOf(begun, 0), tenant_id, session_id, rotator_id: null, name: 'Sale', status: 'completed', message_type: 'text' },
    ...{ body: 'Hi {{name}}', template_id: null, media_r2_key: null, media: null, caption: null, audience: null, gathering: null },
    ...{ zones: ['Asia/Jakarta'], created_at: begun, started_at: begun, completed_at: begun, consent_attested_at: null },
    ...{ scheduled_at: null, resumes_at: null, pause_reason: null, error: null, epoch: 1, node: null, due_at: null },
    ...{ total_recipients: count, sent_count: count, failed_count: 0, skipped_count: 0, listed: count },
  };
  await campaignsIn(store).create(campaign);
  const recipients = recipientsIn(store);
  const none = { var1: null, var2: null, var3: null, var4: null, var5: null };
  const recipientAt = (nth: number): RecipientRow => ({
    ...{ ...none, name: `Person number ${nth}`, _id: idOf(begun, nth), blast_id: campaign._id, tenant_id, phone: phoneAt(nth) },
    ...{ zone: 'Asia/Jakarta', status: nth % 1_000 === 0 ? 'failed' : 'read', error: null, session_id, created_at: begun },
    ...{ sent_at: begun, delivered_at: begun, read_at: begun },
  });
  await inBatches(count, recipientAt, (some) => recipients.add(some));
  return campaign._id;
}

function consentRow(tenant_id: string, subject: string, at: number, isOut: boolean): ConsentRow {
  return {
    ...{ _id: `${tenant_id}:${subject}`, tenant_id, subject, status: isOut ? 'opted_out' : 'opted_in', source: 'import', note: null },
    ...{ created_at: at, updated_at: at, seq: 1, outbox: [], outbox_pending: false, confirmed: { since: 0, count: 0 }, lifted_by: null },
  };
}

/** Plants a fiftieth of `count` audit entries, signed with the node's own key. */
export async function plantAudit(store: Store, key: Buffer, tenantId: string, count: number): Promise<void> {
  const log = auditLogIn(store, key);
  const begun = systemClock.now() - DAY_MS;
  const draftAt = (nth: number): AuditDraft => ({
    ...{
      id: idOf(begun + nth, nth),
      tenant_id: tenantId,
      at: begun + nth,
      actor: { kind: 'owner', id: tenantId, name: 'Bench' },
      auth: 'otp',
    },
    ...{ address: '127.0.0.1', request_id: null, action: nth % 2 === 0 ? 'template.create' : 'consent.change' },
    ...{ target: { kind: 'person', id: phoneAt(nth) }, result: 'ok', code: null, changes: [{ field: 'name', from: 'A', to: 'B' }] },
  });
  await inBatches(Math.ceil(count / AUDIT_SHARE), draftAt, (some) => log.appendAll(tenantId, some));
}
