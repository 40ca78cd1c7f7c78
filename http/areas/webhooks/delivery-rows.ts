import { refusal } from '../../../actors/domain/refusals.ts';
import { linksPhone } from '../../../actors/services/events/types.ts';
import { byCreation, readPage } from '../../../store/paging/page.ts';
import type { Deliveries, DeliverySummary } from '../../../store/webhooks/deliveries.ts';
import { nextOf } from '../../core/paging.ts';
import { type Call, mayLinkPhones, rowsFor } from '../../core/row.ts';
import { DeliveriesSchema, type DeliveryQuery, DeliveryQuerySchema, FullDeliverySchema, oneDelivery, toDelivery } from './schemas.ts';

interface DeliveriesServices {
  readonly deliveries: Deliveries;
}

const row = rowsFor<DeliveriesServices>();

export const deliveryRows = [
  row({
    access: 'bearer',
    id: 'listDeliveries',
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    summary: 'List deliveries',
    about:
      'List the deliveries of the last 7 days, newest first, with the last status of the receiver. With `event`, or a `status` other than `failed`, a page may have fewer entries than `limit` although more follow',
    query: DeliveryQuerySchema,
    status: 200,
    returns: DeliveriesSchema,
    run: list,
  }),
  row({
    access: 'bearer',
    id: 'getDelivery',
    method: 'GET',
    path: '/v1/webhooks/deliveries/{id}',
    summary: 'Get a delivery',
    about:
      'Get a delivery with the bytes that each attempt sends. For `qr.generated`, whose bytes can link a phone, an API key needs the scope `manage`',
    params: oneDelivery,
    status: 200,
    returns: FullDeliverySchema,
    refuses: ['NOT_FOUND'],
    run: get,
  }),
];

async function list({ deliveries }: DeliveriesServices, { caller, query }: Call<unknown, DeliveryQuery, unknown>) {
  const { limit, before = null, before_id: beforeId = null, webhook_id, status, event } = query;
  const own = { ...(webhook_id !== undefined && { webhook_id }), ...(status === 'failed' && { status }) };
  const isAsked = (row: DeliverySummary): boolean => (status ?? row.status) === row.status && (event ?? row.event) === row.event;
  const { entries, next } = await readPage<DeliverySummary, ReturnType<typeof toDelivery>>({
    owner: caller.tenantId,
    page: { limit, before, beforeId },
    list: (page) => deliveries.list(caller.tenantId, own, page),
    placeOf: byCreation,
    keep: event === undefined && (status ?? 'failed') === 'failed' ? null : (found) => found.filter(isAsked),
    async show(rows) {
      const ids = rows.map(({ _id }) => _id);
      const attempts = await deliveries.attempts(caller.tenantId, ids);
      return rows.map((one) => toDelivery(one, attempts.get(one._id)));
    },
  });
  return { deliveries: entries, ...nextOf(next) };
}

async function get({ deliveries }: DeliveriesServices, { caller, params }: Call<{ id: string }, unknown, unknown>) {
  const found = await deliveries.find(caller.tenantId, params.id);
  if (!found) throw refusal('NOT_FOUND');
  if (linksPhone(found.event) && !mayLinkPhones(caller)) throw refusal('FORBIDDEN');
  return { ...toDelivery(found, found.attempts), payload: found.body };
}
