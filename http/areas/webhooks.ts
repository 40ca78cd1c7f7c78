import type { Egress } from '../../actors/egress/egress.ts';
import type { EventBody } from '../../actors/events/types.ts';
import { TEST_EVENT } from '../../actors/events/types.ts';
import { refusal } from '../../actors/refusals.ts';
import type { TenantHints } from '../../actors/tenant/hints.ts';
import { newDelivery } from '../../actors/tenant/look.ts';
import { newId } from '../../runtime/ids.ts';
import type { Agenda } from '../../store/agenda.ts';
import type { Deliveries, DeliveryRow } from '../../store/deliveries.ts';
import type { WebhookPatch, WebhookRow, Webhooks } from '../../store/webhooks.ts';
import { pageFrom } from '../paging.ts';
import { type Area, type Call, type Caller, rowsFor } from '../row.ts';
import { Done } from '../schemas.ts';
import {
  AcceptedSchema,
  DeliveriesSchema,
  type DeliveryQuery,
  DeliveryQuerySchema,
  type NewWebhook,
  NewWebhookSchema,
  oneDelivery,
  oneWebhook,
  toDelivery,
  toWebhook,
  type Webhook,
  type WebhookChange,
  WebhookChangeSchema,
  WebhookSchema,
  WebhooksSchema,
} from './webhook-schemas.ts';

export interface WebhooksWorld {
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly agenda: Pick<Agenda, 'put'>;
  readonly egress: Pick<Egress, 'check'>;
  readonly tenantHints: Pick<TenantHints, 'webhookChanged'>;
}

const MOST_WEBHOOKS = 50;
/** After a change of the secret. */
const BOTH_SIGN_MS = 86_400_000;

const row = rowsFor<WebhooksWorld>();
const common = { access: 'bearer', agents: false } as const;

export const webhooks: Area<WebhooksWorld> = {
  name: 'webhooks',
  about: 'Where events are delivered to, and what became of each delivery. A key that is restricted to devices may not use them',
  rows: [
    row({
      ...common,
      id: 'listWebhooks',
      method: 'GET',
      path: '/v1/webhooks',
      summary: 'All webhooks, newest first, paused ones too',
      status: 200,
      returns: WebhooksSchema,
      run: list,
    }),
    row({
      ...common,
      id: 'createWebhook',
      method: 'POST',
      path: '/v1/webhooks',
      summary: 'Have events delivered to an address',
      body: NewWebhookSchema,
      status: 201,
      returns: WebhookSchema,
      refuses: ['WEBHOOK_URL_BLOCKED', 'LIMIT_REACHED'],
      run: create,
    }),
    row({
      ...common,
      id: 'getWebhook',
      method: 'GET',
      path: '/v1/webhooks/{id}',
      summary: 'One webhook',
      params: oneWebhook,
      status: 200,
      returns: WebhookSchema,
      refuses: ['NOT_FOUND'],
      run: async (world, call) => toWebhook(await found(world, call)),
    }),
    row({
      ...common,
      id: 'updateWebhook',
      method: 'PATCH',
      path: '/v1/webhooks/{id}',
      summary:
        'Change the address, the events or the secret; pause and resume. What waits goes out as changed. A new secret signs `X-Webhook-Signature` ' +
        'at once; `webhook-signature` carries the signatures of both for 24 hours, so that receivers can change over without a gap',
      params: oneWebhook,
      body: WebhookChangeSchema,
      status: 200,
      returns: WebhookSchema,
      refuses: ['NOT_FOUND', 'WEBHOOK_URL_BLOCKED'],
      run: change,
    }),
    row({
      ...common,
      id: 'deleteWebhook',
      method: 'DELETE',
      path: '/v1/webhooks/{id}',
      summary: 'Remove a webhook; what still waits for it ends as failed',
      params: oneWebhook,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      run: remove,
    }),
    row({
      ...common,
      id: 'testWebhook',
      method: 'POST',
      path: '/v1/webhooks/{id}/test',
      summary: 'Deliver a `webhook.test` event, whatever the webhook names; its `session_id` is null',
      params: oneWebhook,
      status: 202,
      returns: AcceptedSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: test,
    }),
    row({
      ...common,
      id: 'listDeliveries',
      method: 'GET',
      path: '/v1/webhooks/deliveries',
      summary: 'Deliveries of the last 7 days with the status that the receiver answered last, newest first',
      query: DeliveryQuerySchema,
      status: 200,
      returns: DeliveriesSchema,
      run: listDeliveries,
    }),
    row({
      ...common,
      id: 'redeliver',
      method: 'POST',
      path: '/v1/webhooks/deliveries/{id}/redeliver',
      summary: 'Deliver the same event once more, under the same event id, as a delivery of its own',
      params: oneDelivery,
      status: 202,
      returns: AcceptedSchema,
      refuses: ['NOT_FOUND', 'CONFLICT'],
      run: redeliver,
    }),
  ],
};

type Of<B = unknown> = Call<{ id: string }, unknown, B>;

async function list(world: WebhooksWorld, { caller }: Call<unknown, unknown, unknown>): Promise<{ webhooks: readonly Webhook[] }> {
  return { webhooks: (await world.webhooks.list(tenantOf(caller))).map(toWebhook) };
}

async function create(world: WebhooksWorld, { caller, body, now }: Call<unknown, unknown, NewWebhook>): Promise<Webhook> {
  const tenantId = tenantOf(caller);
  await refuseBlocked(world, body.url);
  if ((await world.webhooks.list(tenantId)).length >= MOST_WEBHOOKS) throw refusal('LIMIT_REACHED', { reason: MOST });
  const { url, secret, events } = body;
  const stored: WebhookRow = { _id: newId(now), tenant_id: tenantId, url, secret, events, created_at: now, disabled_at: null };
  await world.webhooks.create(stored);
  return toWebhook(stored);
}

async function change(world: WebhooksWorld, call: Of<WebhookChange>): Promise<Webhook> {
  const { body, now } = call;
  const { _id, tenant_id, disabled_at, secret } = await found(world, call);
  if (body.url !== undefined) await refuseBlocked(world, body.url);
  const { paused, ...fields } = body;
  const pausing = paused === undefined ? {} : { disabled_at: paused ? (disabled_at ?? now) : null };
  const isRotated = body.secret !== undefined && body.secret !== secret;
  const retiring = isRotated ? { retired: { secret, until: now + BOTH_SIGN_MS } } : {};
  const changed = await world.webhooks.change(tenant_id, _id, { ...fields, ...pausing, ...retiring } satisfies WebhookPatch);
  if (!changed) throw refusal('NOT_FOUND');
  await tell(world, changed, now);
  return toWebhook(changed);
}

async function remove(world: WebhooksWorld, call: Of): Promise<{ ok: true }> {
  const { _id, tenant_id } = await found(world, call);
  await world.webhooks.remove(tenant_id, _id);
  await world.deliveries.abandon(tenant_id, _id, 'webhook_removed');
  await tell(world, { _id, tenant_id }, call.now);
  return { ok: true };
}

async function test(world: WebhooksWorld, call: Of): Promise<{ delivery_id: string }> {
  const { now } = call;
  const webhook = await found(world, call);
  const data = { webhook_id: webhook._id, message: 'This is a test: the webhook works' };
  const event: EventBody = { id: `evt_${newId(now)}`, type: TEST_EVENT, session_id: null, occurred_at: now, data };
  return deliver(world, webhook, { event_id: event.id, event: event.type, body: JSON.stringify(event) }, now);
}

async function redeliver(world: WebhooksWorld, { caller, params, now }: Of): Promise<{ delivery_id: string }> {
  const tenantId = tenantOf(caller);
  const delivery = await world.deliveries.find(tenantId, params.id);
  const webhook = delivery && (await world.webhooks.find(tenantId, delivery.webhook_id));
  if (!webhook) throw refusal('NOT_FOUND');
  if (delivery.status === 'pending') throw refusal('CONFLICT', { reason: PENDING });
  return deliver(world, webhook, delivery, now);
}

async function listDeliveries(world: WebhooksWorld, { caller, query }: Call<unknown, DeliveryQuery, unknown>) {
  const { limit: _limit, before: _before, before_id: _beforeId, ...filter } = query;
  const { rows, next } = await pageFrom(query, (place) => world.deliveries.list(tenantOf(caller), filter, place));
  return { deliveries: rows.map(toDelivery), ...next };
}

async function deliver(
  world: WebhooksWorld,
  webhook: WebhookRow,
  what: Pick<DeliveryRow, 'event_id' | 'event' | 'body'>,
  now: number,
): Promise<{ delivery_id: string }> {
  if (webhook.disabled_at !== null) throw refusal('CONFLICT', { reason: PAUSED });
  const delivery = newDelivery(webhook, what, { isAsked: true, epoch: 0, now });
  await world.deliveries.add([delivery]);
  await tell(world, webhook, now);
  return { delivery_id: delivery._id };
}

/** The tenant's actor sees to it, at once if it hears of it, soon if not. */
async function tell(world: WebhooksWorld, { _id, tenant_id }: Pick<WebhookRow, '_id' | 'tenant_id'>, now: number): Promise<void> {
  await world.agenda.put(tenant_id, now);
  world.tenantHints.webhookChanged(tenant_id, _id);
}

async function found(world: WebhooksWorld, { caller, params }: Of): Promise<WebhookRow> {
  const webhook = await world.webhooks.find(tenantOf(caller), params.id);
  if (!webhook) throw refusal('NOT_FOUND');
  return webhook;
}

/** A webhook hears of all devices, so a key for some of them has no business here. */
function tenantOf({ tenantId, key }: Caller): string {
  if (key?.sessionIds) throw refusal('FORBIDDEN');
  return tenantId;
}

async function refuseBlocked({ egress }: WebhooksWorld, url: string): Promise<void> {
  if ((await egress.check(url)) !== null) throw refusal('WEBHOOK_URL_BLOCKED');
}

const MOST = { en: `at most ${MOST_WEBHOOKS} webhooks`, id: `paling banyak ${MOST_WEBHOOKS} webhook` };
const PENDING = { en: 'it is still on its way', id: 'masih dalam pengiriman' };
const PAUSED = { en: 'the webhook is paused', id: 'webhook sedang dijeda' };
