import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseBody } from '../../../actors/store-link/behaviour/loose-json.ts';
import { readShopify } from '../../../actors/store-link/behaviour/read-shopify.ts';
import { StoreBook } from './harness.ts';

const NOW = Date.parse('2026-11-20T08:00:00Z');
const HOUR = 3_600_000;
const ORDER = {
  id: 5678901234567,
  name: '#1042',
  created_at: '2026-11-20T14:50:00+07:00',
  updated_at: '2026-11-20T14:50:01+07:00',
  phone: '+6281234567890',
  financial_status: 'pending',
  line_items: [{ name: 'Kaos', quantity: 2 }],
};
const shopify = (topic: string, body: object) => readShopify(topic, parseBody(JSON.stringify(body)));
const kindsOf = (book: StoreBook, now: number) => book.sentBy(now).map(({ kind }) => kind);

describe('a new order', () => {
  it('is reported as created, paid and shipped in this order, whatever the order of its webhooks', () => {
    const parcel = {
      id: 1,
      order_id: ORDER.id,
      name: '#1042.1',
      status: 'success',
      tracking_number: 'JX1',
      destination: { phone: ORDER.phone },
    };
    const created = ['orders/create', ORDER] as const;
    const paid = ['orders/paid', { ...ORDER, financial_status: 'paid' }] as const;
    const shipped = ['fulfillments/create', parcel] as const;
    for (const hooks of [
      [created, paid, shipped],
      [created, shipped, paid],
      [shipped, created, paid],
      [shipped, paid, created],
      [paid, shipped, created],
    ]) {
      const book = new StoreBook();
      for (const [nth, [topic, body]] of hooks.entries()) book.take(shopify(topic, body), NOW + 300 * nth);
      const due = [...book.queue.values()].toSorted((one, other) => one.at - other.at);
      const said = hooks.map(([topic]) => topic).join(', ');
      assert.deepEqual(
        due.map(({ kind }) => kind),
        ['order_created', 'order_paid', 'order_shipped'],
        said,
      );
      assert.ok(
        due.every(({ at }, nth) => nth === 0 || at > (due[nth - 1]?.at ?? 0)),
        said,
      );
    }
  });

  it('is reported as shipped immediately if its creation was seen earlier', () => {
    const book = new StoreBook();
    book.take(shopify('orders/create', ORDER), NOW);
    const parcel = { id: 1, order_id: ORDER.id, name: '#1042.1', status: 'success', tracking_number: 'JX1' };
    book.take(shopify('fulfillments/create', parcel), NOW + HOUR);
    assert.deepEqual(kindsOf(book, NOW + HOUR), ['order_created', 'order_shipped']);
  });
});
