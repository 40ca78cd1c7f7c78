import { beyondLimit } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type EventBody, TEST_EVENT } from '../../../actors/services/events/types.ts';
import type { Live } from '../../../actors/services/live/live.ts';
import { KEPT_MS, newDelivery } from '../../../actors/services/webhooks/new-delivery.ts';
import { removeWebhook } from '../../../actors/services/webhooks/removal.ts';
import { replaySince } from '../../../actors/services/webhooks/replay.ts';
import type { TenantHints } from '../../../actors/tenant/hints.ts';
import type { Egress } from '../../../runtime/egress/egress.ts';
import { newId } from '../../../runtime/ids.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { Deliveries, DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { OpenedWebhook, WebhookPatch, WebhookRow, Webhooks } from '../../../store/webhooks/webhooks.ts';
import { type Area, type Call, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { blockedBecause } from './addresses.ts';
import { deliveryRows } from './delivery-rows.ts';
import {
  AcceptedSchema,
  type NewWebhook,
  NewWebhookSchema,
  oneDelivery,
  oneWebhook,
  ReplayedSchema,
  ReplaySchema,
  toWebhook,
  type Webhook,
  type WebhookChange,
  WebhookChangeSchema,
  WebhookSchema,
  WebhooksSchema,
} from './schemas.ts';

const TEST_MESSAGE = { en: 'This is a test: the webhook works', id: 'Ini uji coba: webhook berfungsi' };

export interface WebhooksServices {
  localeOf(tenantId: string): Promise<'en' | 'id'>;
  readonly webhooks: Webhooks<OpenedWebhook>;
  readonly deliveries: Deliveries;
  readonly devices: Pick<Devices, 'find'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly egress: Pick<Egress, 'check'>;
  readonly tenantHints: Pick<TenantHints, 'webhookChanged'>;
  readonly live: Pick<Live, 'emit'>;
}

const MAX_WEBHOOKS = 50;
const BOTH_SIGN_MS = 86_400_000;

const row = rowsFor<WebhooksServices>();
/** A webhook receives its events' contents, so creating one also requires the `read` scope. */
const changing = { scope: ['read', 'manage'] } as const;

export const webhooks: Area<WebhooksServices> = {
  name: 'webhooks',
  about: 'Webhooks that receive events, and their deliveries. Not for keys that are restricted to devices',
  rows: [
    row({
      access: 'bearer',
      id: 'listWebhooks',
      list: { of: 'webhooks' },
      method: 'GET',
      path: '/v1/webhooks',
      summary: 'List webhooks',
      about: 'List webhooks, newest first, including paused ones',
      status: 200,
      returns: WebhooksSchema,
      run: list,
    }),
    row({
      ...changing,
      access: 'bearer',
      id: 'createWebhook',
      method: 'POST',
      path: '/v1/webhooks',
      summary: 'Create a webhook',
      audit: { action: 'webhook.create', on: 'webhooks' },
      stepUp: true,
      body: NewWebhookSchema,
      status: 201,
      returns: WebhookSchema,
      refuses: ['NOT_FOUND', 'WEBHOOK_URL_BLOCKED', 'LIMIT_REACHED'],
      run: create,
    }),
    row({
      access: 'bearer',
      id: 'getWebhook',
      method: 'GET',
      path: '/v1/webhooks/{id}',
      summary: 'Get a webhook',
      params: oneWebhook,
      status: 200,
      returns: WebhookSchema,
      refuses: ['NOT_FOUND'],
      run: async (services, call) => toWebhook(await found(services, call)),
    }),
    row({
      ...changing,
      access: 'bearer',
      id: 'updateWebhook',
      method: 'PATCH',
      path: '/v1/webhooks/{id}',
      summary: 'Update a webhook',
      example: { events: ['message.received', 'message.failed'], paused: false },
      about:
        'Update the address, the events or the secret; pause and resume. Changes apply to waiting deliveries. A new secret signs `X-Webhook-Signature` ' +
        'at once; `webhook-signature` contains the signatures with both secrets for 24 hours, so that receivers can switch without a gap',
      audit: { action: 'webhook.update', on: 'webhooks' },
      stepUp: { if: '`url` changes or a `secret` is sent' },
      params: oneWebhook,
      body: WebhookChangeSchema,
      status: 200,
      returns: WebhookSchema,
      refuses: ['NOT_FOUND', 'WEBHOOK_URL_BLOCKED'],
      run: change,
    }),
    row({
      ...changing,
      access: 'bearer',
      id: 'deleteWebhook',
      method: 'DELETE',
      path: '/v1/webhooks/{id}',
      summary: 'Delete a webhook',
      about: 'Delete a webhook. Its waiting deliveries fail',
      audit: { action: 'webhook.delete', on: 'webhooks' },
      stepUp: { none: 'data stops leaving' },
      params: oneWebhook,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      run: remove,
    }),
    row({
      ...changing,
      access: 'bearer',
      id: 'testWebhook',
      method: 'POST',
      path: '/v1/webhooks/{id}/test',
      summary: 'Test a webhook',
      about: 'Send a `webhook.test` event, even if the webhook does not subscribe to it. Its `session_id` is null',
      audit: { none: 'the list of deliveries records it' },
      params: oneWebhook,
      status: 202,
      returns: AcceptedSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: test,
    }),
    ...deliveryRows,
    row({
      ...changing,
      access: 'bearer',
      id: 'redeliver',
      method: 'POST',
      path: '/v1/webhooks/deliveries/{id}/redeliver',
      summary: 'Redeliver an event',
      about: 'Retry the same delivery now, even if a retry is already scheduled. Returns CONFLICT before its first attempt',
      audit: { none: 'the list of deliveries shows it' },
      params: oneDelivery,
      status: 202,
      returns: AcceptedSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: redeliver,
    }),
    row({
      ...changing,
      access: 'bearer',
      heavy: true,
      id: 'replayDeliveries',
      method: 'POST',
      path: '/v1/webhooks/deliveries/replay',
      summary: 'Replay failed deliveries',
      about: 'Retry every delivery since `since` whose last attempt failed, including those that are waiting for a retry',
      audit: { none: 'the list of deliveries shows it' },
      body: ReplaySchema,
      status: 202,
      returns: ReplayedSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: replay,
    }),
  ],
};

type Of<B = unknown> = Call<{ id: string }, unknown, B>;

async function list(services: WebhooksServices, { caller }: Call<unknown, unknown, unknown>): Promise<{ webhooks: readonly Webhook[] }> {
  return { webhooks: (await services.webhooks.list(caller.tenantId)).map(toWebhook) };
}

async function create(services: WebhooksServices, { caller, body, now }: Call<unknown, unknown, NewWebhook>): Promise<Webhook> {
  const tenantId = caller.tenantId;
  await refuseBlocked(services, body.url);
  const { url, secret, events, format, session_id } = body;
  if (session_id !== undefined && !(await services.devices.find(tenantId, session_id)))
    throw refusal('NOT_FOUND', { reason: 'session_id' });
  const stored: WebhookRow = {
    ...{ _id: newId(now), tenant_id: tenantId, url, secret, events, created_at: now, disabled_at: null },
    ...(format !== undefined && format !== 'gateway' && { format }),
    ...(session_id !== undefined && { session_id }),
  };
  if (!(await services.webhooks.create(stored, MAX_WEBHOOKS))) throw beyondLimit(MAX_WEBHOOKS, { en: 'webhooks', id: 'webhook' });
  return toWebhook(stored);
}

async function change(services: WebhooksServices, call: Of<WebhookChange>): Promise<Webhook> {
  const { body, now } = call;
  const { _id, tenant_id, disabled_at, secret, url } = await found(services, call);
  if (body.url !== undefined) await refuseBlocked(services, body.url);
  const { paused, url: newUrl = url, ...others } = body;
  const isMoved = newUrl !== url;
  if (isMoved || body.secret !== undefined) call.expectStepUp();
  // An unchanged URL is not written, so that it cannot overwrite a concurrent change.
  const fields = { ...others, ...(isMoved && { url: newUrl }) };
  const pausing = paused === undefined ? {} : { disabled_at: paused ? (disabled_at ?? now) : null };
  const isRotated = body.secret !== undefined && body.secret !== secret;
  const retiring = isRotated && secret !== null ? { retired: { secret, until: now + BOTH_SIGN_MS } } : {};
  const patch: WebhookPatch = { ...fields, ...pausing, ...retiring };
  const changed = await waking(services, { _id, tenant_id }, now, () => services.webhooks.change(tenant_id, _id, patch));
  if (!changed) throw refusal('NOT_FOUND');
  return toWebhook(changed);
}

async function remove(services: WebhooksServices, { caller, params, now }: Of): Promise<{ ok: true }> {
  if (!(await removeWebhook(services, caller.tenantId, params.id, now))) throw refusal('NOT_FOUND');
  return { ok: true };
}

async function test(services: WebhooksServices, call: Of): Promise<{ delivery_id: string }> {
  const { now } = call;
  const webhook = await found(services, call);
  const lang = call.langAsked ?? (await services.localeOf(webhook.tenant_id));
  const data = { webhook_id: webhook._id, message: TEST_MESSAGE[lang] };
  const id = newId(now);
  const event: EventBody = { id: `evt_${id}`, type: TEST_EVENT, session_id: null, occurred_at: now, data };
  const delivered = await deliver(services, webhook, { event_id: event.id, event: event.type, body: JSON.stringify(event) }, now);
  services.live.emit(webhook.tenant_id, null, { type: TEST_EVENT, data }, id);
  return delivered;
}

function expectActive(webhook: OpenedWebhook | null): WebhookRow {
  if (!webhook) throw refusal('NOT_FOUND');
  if (webhook.disabled_at !== null) throw refusal('CONFLICT', { reason: PAUSED });
  if (webhook.secret === null) throw refusal('CONFLICT', { reason: UNREADABLE });
  return webhook;
}

async function redeliver(services: WebhooksServices, { caller, params, now }: Of): Promise<{ delivery_id: string }> {
  const tenantId = caller.tenantId;
  const delivery = await services.deliveries.find(tenantId, params.id);
  if (!delivery) throw refusal('NOT_FOUND');
  const webhook = expectActive(await services.webhooks.find(tenantId, delivery.webhook_id));
  const again = () => services.deliveries.again(delivery, now, now + KEPT_MS);
  const isFresh = delivery.status === 'pending' && delivery.error === null;
  if (isFresh || !(await waking(services, webhook, now, again))) throw refusal('CONFLICT', { reason: PENDING });
  return { delivery_id: delivery._id };
}

async function replay(services: WebhooksServices, { caller, body, now }: Call<unknown, unknown, { webhook_id: string; since: number }>) {
  const { tenantId } = caller;
  const webhook = expectActive(await services.webhooks.find(tenantId, body.webhook_id));
  const wake = () => services.wakeups.put(tenantId, now);
  const count = await replaySince(services.deliveries, webhook, { since: body.since, now, wake });
  await tell(services, webhook, now);
  return { count };
}

async function deliver(
  services: WebhooksServices,
  webhook: OpenedWebhook,
  what: Pick<DeliveryRow, 'event_id' | 'event' | 'body'>,
  now: number,
): Promise<{ delivery_id: string }> {
  const delivery = newDelivery(expectActive(webhook), what, { isAsked: true, epoch: 0, now });
  await waking(services, webhook, now, () => services.deliveries.add([delivery]));
  return { delivery_id: delivery._id };
}

/**
 * Adds two wakeups: one before the write, in case of a crash, and one after it, in case the actor
 * polled just before the write.
 */
async function waking<R>(
  services: WebhooksServices,
  webhook: Pick<WebhookRow, '_id' | 'tenant_id'>,
  now: number,
  write: () => Promise<R>,
): Promise<R> {
  const [, written] = await Promise.all([services.wakeups.put(webhook.tenant_id, now), write()]);
  await tell(services, webhook, now);
  return written;
}

/** Schedules a wakeup and notifies the tenant actor directly, so that it usually acts at once. */
async function tell(services: WebhooksServices, { _id, tenant_id }: Pick<WebhookRow, '_id' | 'tenant_id'>, now: number): Promise<void> {
  await services.wakeups.put(tenant_id, now);
  services.tenantHints.webhookChanged(tenant_id, _id);
}

async function found(services: WebhooksServices, { caller, params }: Of): Promise<OpenedWebhook> {
  const webhook = await services.webhooks.find(caller.tenantId, params.id);
  if (!webhook) throw refusal('NOT_FOUND');
  return webhook;
}

async function refuseBlocked({ egress }: WebhooksServices, url: string): Promise<void> {
  const blocked = await egress.check(url);
  if (blocked !== null) throw refusal('WEBHOOK_URL_BLOCKED', { reason: blockedBecause(blocked, url) });
}

const PENDING = { en: 'the delivery is still in progress', id: 'pengiriman masih berlangsung' };
const UNREADABLE = {
  en: 'the stored secret of the webhook can no longer be read: save a new one',
  id: 'rahasia webhook yang tersimpan tidak dapat dibaca lagi: simpan rahasia baru',
};
const PAUSED = { en: 'the webhook is paused', id: 'webhook sedang dijeda' };
