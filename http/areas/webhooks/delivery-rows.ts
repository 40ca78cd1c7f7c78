import { refusal } from '../../../actors/domain/refusals.ts';
import type { Deliveries } from '../../../store/webhooks/deliveries.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Call, rowsFor } from '../../core/row.ts';
import { DeliveriesSchema, type DeliveryQuery, DeliveryQuerySchema, FullDeliverySchema, oneDelivery, toDelivery } from './schemas.ts';

interface DeliveriesServices {
  readonly deliveries: Deliveries;
}

const row = rowsFor<DeliveriesServices>();

/** What was delivered, to be read. */
export const deliveryRows = [
  row({
    access: 'bearer',
    id: 'listDeliveries',
    method: 'GET',
    path: '/v1/webhooks/deliveries',
    summary: 'List deliveries',
    about: 'List the deliveries of the last 7 days, newest first, with the last status of the receiver',
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
    about: 'With the bytes that each attempt sends',
    params: oneDelivery,
    status: 200,
    returns: FullDeliverySchema,
    refuses: ['NOT_FOUND'],
    run: get,
  }),
];

async function list({ deliveries }: DeliveriesServices, { caller, query }: Call<unknown, DeliveryQuery, unknown>) {
  const { limit: _limit, before: _before, before_id: _beforeId, ...filter } = query;
  const { rows, next } = await pageFrom(query, (place) => deliveries.list(caller.tenantId, filter, place));
  return { deliveries: rows.map(toDelivery), ...next };
}

async function get({ deliveries }: DeliveriesServices, { caller, params }: Call<{ id: string }, unknown, unknown>) {
  const found = await deliveries.find(caller.tenantId, params.id);
  if (!found) throw refusal('NOT_FOUND');
  return { ...toDelivery(found), payload: found.body };
}
