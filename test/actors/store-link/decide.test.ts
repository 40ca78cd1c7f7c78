import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StoreFact } from '../../../actors/store-link/behaviour/facts.ts';
import { parseBody } from '../../../actors/store-link/behaviour/loose-json.ts';
import { readShopify } from '../../../actors/store-link/behaviour/read-shopify.ts';
import { readWooCommerce } from '../../../actors/store-link/behaviour/read-woocommerce.ts';
import type { MessageKind } from '../../../actors/store-link/protocol.ts';
import { SETTINGS, StoreBook } from './harness.ts';

const NOW = Date.parse('2026-11-20T08:00:00Z');
const HOUR = 3_600_000;

const ORDER = {
  id: 5678901234567,
  name: '#1042',
  checkout_id: 371122,
  checkout_token: 'tok',
  cart_token: 'cart',
  created_at: '2026-11-20T14:50:00+07:00',
  updated_at: '2026-11-20T14:50:01+07:00',
  phone: '+6281234567890',
  customer: { first_name: 'Sari', last_name: 'Wulandari' },
  financial_status: 'pending',
  total_price_set: { presentment_money: { amount: '150000.00', currency_code: 'IDR' } },
  line_items: [{ name: 'Kaos *Polos*', quantity: 2 }],
};
const CHECKOUT = {
  id: 371122,
  token: 'tok',
  cart_token: 'cart',
  phone: '+6281234567890',
  abandoned_checkout_url: 'https://shop.example/c/1',
};

const shopify = (topic: string, body: object): StoreFact => readShopify(topic, parseBody(JSON.stringify(body)));
const woo = (body: object): StoreFact => readWooCommerce('order.updated', parseBody(JSON.stringify(body)));
const withText = (kind: MessageKind, text: string) => ({
  ...SETTINGS,
  templates: { ...SETTINGS.templates, [kind]: { enabled: true, text } },
});
const kindsOf = (book: StoreBook, now: number) => book.sentBy(now).map(({ kind }) => kind);

describe('an order', () => {
  it('is announced once, no matter how often its webhook arrives', () => {
    const book = new StoreBook();
    assert.equal(book.take(shopify('orders/create', ORDER), NOW).outcome, 'sent');
    assert.equal(book.take(shopify('orders/create', ORDER), NOW + 5).outcome, 'duplicate');
    assert.deepEqual(
      book.sentBy(NOW).map(({ text }) => text),
      ['Hi Sari Wulandari, we have your order #1042: 2x Kaos Polos\nTotal: Rp 150.000'],
    );
  });

  it('triggers both messages if the payment arrives first, and none when the creation webhook follows', () => {
    const book = new StoreBook();
    book.take(shopify('orders/paid', { ...ORDER, financial_status: 'paid' }), NOW);
    assert.deepEqual(kindsOf(book, NOW + HOUR), ['order_created', 'order_paid']);
    assert.equal(book.take(shopify('orders/create', ORDER), NOW + 1_000).outcome, 'duplicate');
    assert.equal(book.queue.size, 2);
  });

  it('is reported as created, paid and shipped in this order, even within a second', () => {
    const book = new StoreBook();
    const paid = { ...ORDER, financial_status: 'paid' };
    book.take(shopify('orders/paid', paid), NOW);
    const fulfilment = { tracking_company: 'JNE', tracking_number: 'JX1', created_at: ORDER.created_at, status: 'success' };
    const shipped = { ...paid, updated_at: '2026-11-20T14:50:02+07:00', fulfillment_status: 'fulfilled', fulfillments: [fulfilment] };
    book.take(shopify('orders/fulfilled', shipped), NOW + 300);
    const due = [...book.queue.values()].toSorted((one, other) => one.at - other.at);
    assert.deepEqual(
      due.map(({ kind, at }) => [kind, at - NOW]),
      [
        ['order_created', 0],
        ['order_paid', 1_000],
        ['order_shipped', 2_000],
      ],
    );
  });

  it('is described in plain text instead of HTML for WooCommerce', () => {
    const book = new StoreBook();
    const line_items = [
      { name: 'Kopi &amp; Gula &#8211; 250&nbsp;gr', quantity: 1 },
      { name: 'Kaos <span class="v">Merah</span>', quantity: 2 },
      { name: '5 < 6 &lt;b&gt;', quantity: 1 },
      { name: 'Teh &amp;amp; Jahe', quantity: 1 },
    ];
    const billing = { first_name: 'D&#039;Arcy', phone: '0812', country: 'ID' };
    book.take(woo({ id: 7, number: '7', status: 'processing', billing, line_items }), NOW);
    const [text] = book.sentBy(NOW).map((one) => one.text);
    assert.match(text ?? '', /D'Arcy/);
    assert.match(text ?? '', /Kopi & Gula – 250 gr, 2x Kaos Merah, 5 < 6 <b>, Teh & Jahe/);
  });

  it('is not reported as paid while cash on delivery is outstanding', () => {
    const book = new StoreBook();
    const order = {
      id: 7,
      number: '7',
      status: 'processing',
      payment_method: 'cod',
      date_paid: null,
      billing: { phone: '0812', country: 'ID' },
    };
    book.take(woo(order), NOW);
    assert.deepEqual(kindsOf(book, NOW + HOUR), ['order_created']);
    book.take(woo({ ...order, payment_method: 'bacs' }), NOW + 1);
    assert.deepEqual(kindsOf(book, NOW + HOUR), ['order_created', 'order_paid']);
  });

  it('is ignored if it is older than two days and not yet known', () => {
    const book = new StoreBook();
    const old = { ...ORDER, created_at: '2026-11-17T00:00:00Z' };
    assert.equal(book.take(shopify('orders/create', old), NOW).outcome, 'ignored');
    book.take(shopify('orders/create', ORDER), NOW);
    assert.equal(book.take(shopify('orders/paid', { ...ORDER, financial_status: 'paid' }), NOW + 100 * HOUR).outcome, 'sent');
  });

  it('is reported as shipped once the tracking number arrives', () => {
    const book = new StoreBook();
    book.take(shopify('orders/create', ORDER), NOW);
    const bare = { id: 1, order_id: ORDER.id, name: '#1042.1', status: 'success' };
    assert.equal(book.take(shopify('fulfillments/create', bare), NOW + 1_000).outcome, 'scheduled');
    const followed = { ...bare, tracking_company: 'JNE', tracking_number: 'CGK1' };
    assert.equal(book.take(shopify('fulfillments/update', followed), NOW + 2_000).outcome, 'sent');
    const shipped = book.sentBy(NOW + 2_000).find(({ kind }) => kind === 'order_shipped');
    assert.equal(shipped?.text, 'On its way: #1042\nJNE CGK1');
    assert.equal(shipped?.phone, '6281234567890');
    assert.equal(book.take(shopify('fulfillments/update', { ...followed, tracking_number: 'CGK2' }), NOW + 3_000).outcome, 'duplicate');
  });

  it('is reported as shipped without a tracking number after two minutes', () => {
    const book = new StoreBook();
    book.take(shopify('orders/fulfilled', { ...ORDER, fulfillment_status: 'fulfilled' }), NOW);
    assert.deepEqual(kindsOf(book, NOW + 120_000), ['order_created', 'order_shipped']);
    assert.equal(
      book.take(shopify('fulfillments/update', { id: 1, order_id: ORDER.id, tracking_number: 'X' }), NOW + 130_000).outcome,
      'duplicate',
    );
  });

  it('is not announced by a late webhook after it was cancelled', () => {
    const book = new StoreBook();
    const cancelled = { ...ORDER, updated_at: '2026-11-20T15:00:00+07:00', cancelled_at: '2026-11-20T15:00:00+07:00' };
    assert.equal(book.take(shopify('orders/cancelled', cancelled), NOW).outcome, 'ignored');
    assert.equal(book.take(shopify('orders/create', ORDER), NOW + 1).outcome, 'ignored');
    assert.equal(book.queue.size, 0);
  });

  it('shows the reason if its message is not sent', () => {
    const book = new StoreBook();
    assert.equal(book.take(shopify('orders/create', { ...ORDER, phone: null }), NOW).outcome, 'no_phone');
    book.settings = { ...SETTINGS, hasSession: false };
    assert.equal(book.take(shopify('orders/create', ORDER), NOW).outcome, 'no_session');
    const off = { enabled: false, text: 'x' };
    book.settings = { ...SETTINGS, templates: { ...SETTINGS.templates, order_created: off } };
    assert.equal(book.take(shopify('orders/create', ORDER), NOW).outcome, 'off');
    book.settings = { ...SETTINGS, enabled: false };
    assert.equal(book.take(shopify('orders/create', ORDER), NOW).outcome, 'off');
  });

  it('never triggers an empty message', () => {
    const book = new StoreBook();
    book.settings = withText('order_created', 'Resi: {tracking_number}\n ');
    const { outcome, detail } = book.take(shopify('orders/create', ORDER), NOW);
    assert.deepEqual([outcome, detail], ['ignored', 'the message would be empty']);
    book.settings = SETTINGS;
    assert.equal(book.take(shopify('orders/create', ORDER), NOW + 1).outcome, 'duplicate');
    assert.equal(book.take(shopify('orders/paid', { ...ORDER, financial_status: 'paid' }), NOW + 2).outcome, 'sent');
    assert.deepEqual(kindsOf(book, NOW + HOUR), ['order_paid']);
  });

  it("is not reported as shipped without a tracking number if the number is the message's only content", () => {
    const book = new StoreBook();
    book.settings = withText('order_shipped', 'Resi: {tracking_number}');
    book.take(shopify('orders/create', ORDER), NOW);
    const bare = { id: 1, order_id: ORDER.id, name: '#1042.1', status: 'success' };
    assert.equal(book.take(shopify('fulfillments/create', bare), NOW + 1_000).outcome, 'ignored');
    assert.equal(book.take(shopify('fulfillments/update', { ...bare, tracking_number: 'CGK1' }), NOW + 2_000).outcome, 'sent');
    assert.deepEqual(
      book.sentBy(NOW + HOUR).map(({ text }) => text),
      ['Hi Sari Wulandari, we have your order #1042: 2x Kaos Polos\nTotal: Rp 150.000', 'Resi: CGK1'],
    );
  });

  it('is not announced days later if no device existed when it arrived', () => {
    const book = new StoreBook();
    book.settings = { ...SETTINGS, hasSession: false };
    assert.equal(book.take(shopify('orders/create', ORDER), NOW).outcome, 'no_session');
    book.settings = SETTINGS;
    const later = NOW + 14 * 24 * HOUR;
    const { outcome, detail } = book.take(shopify('orders/create', ORDER), later);
    assert.deepEqual([outcome, detail], ['ignored', 'the order is older than two days']);
    const shipped = { ...ORDER, financial_status: 'paid', fulfillment_status: 'fulfilled' };
    book.take(shopify('orders/fulfilled', shipped), later + 1_000);
    assert.deepEqual(kindsOf(book, later + HOUR), ['order_paid', 'order_shipped']);
  });

  it('is announced if a device is added within two days', () => {
    const book = new StoreBook();
    book.settings = { ...SETTINGS, hasSession: false };
    book.take(shopify('orders/create', ORDER), NOW);
    book.settings = SETTINGS;
    book.take(shopify('orders/paid', { ...ORDER, financial_status: 'paid' }), NOW + 47 * HOUR);
    assert.deepEqual(kindsOf(book, NOW + 48 * HOUR), ['order_created', 'order_paid']);
  });

  it('is not announced if the webhook is a test notification from the platform', () => {
    const book = new StoreBook();
    const sample = readShopify('orders/create', parseBody(`{"id":820982911946154508,"name":"#9999","phone":"+6281234567890"}`));
    assert.deepEqual([book.take(sample, NOW).outcome, book.queue.size], ['ignored', 0]);
  });
});

describe('an unfinished checkout', () => {
  it('triggers one reminder when the configured delay has passed since its last update', () => {
    const book = new StoreBook();
    assert.equal(book.take(shopify('checkouts/create', { ...CHECKOUT, phone: null }), NOW).outcome, 'no_phone');
    assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 1_000).outcome, 'scheduled');
    assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 9_000).outcome, 'rescheduled');
    assert.deepEqual(book.sentBy(NOW + HOUR + 8_000), []);
    assert.deepEqual(kindsOf(book, NOW + HOUR + 9_000), ['abandoned_checkout']);
    assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 2 * HOUR).outcome, 'duplicate');
  });

  it('triggers no reminder after the purchase, even if updates arrive after the order', () => {
    const book = new StoreBook();
    book.take(shopify('checkouts/create', CHECKOUT), NOW);
    const { outcome } = book.take(shopify('orders/create', ORDER), NOW + 1_000);
    assert.deepEqual([outcome, book.records], ['sent', ['cancelled 371122']]);
    assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 2_000).outcome, 'ignored');
    assert.deepEqual(kindsOf(book, NOW + 10 * HOUR), ['order_created']);
  });

  it('triggers no reminder if the order arrived first', () => {
    const book = new StoreBook();
    book.take(shopify('orders/create', ORDER), NOW);
    assert.equal(book.take(shopify('checkouts/create', CHECKOUT), NOW + 26 * HOUR).outcome, 'ignored');
  });

  it('is matched with an order by phone number if they share no id', () => {
    const book = new StoreBook();
    book.take(shopify('checkouts/create', { ...CHECKOUT, id: 9, token: 'other', cart_token: null }), NOW);
    book.take(shopify('orders/create', ORDER), NOW + 1_000);
    assert.deepEqual(kindsOf(book, NOW + 10 * HOUR), ['order_created']);
  });

  it('is kept if only an old order of the customer is fulfilled or cancelled', () => {
    const later = NOW + 240 * HOUR;
    const today = { ...CHECKOUT, id: 9, token: 'other', cart_token: 'c9' };
    for (const [topic, order] of [
      ['orders/fulfilled', { ...ORDER, fulfillment_status: 'fulfilled' }],
      ['orders/cancelled', { ...ORDER, cancelled_at: '2026-11-30T15:00:00+07:00' }],
      ['orders/cancelled', { ...ORDER, created_at: null, cancelled_at: '2026-11-30T15:00:00+07:00' }],
    ] as const) {
      const book = new StoreBook();
      book.take(shopify('orders/create', ORDER), NOW);
      assert.equal(book.take(shopify('checkouts/create', today), later).outcome, 'scheduled');
      book.take(shopify(topic, order), later + 1_000);
      assert.deepEqual(book.records, []);
      assert.ok(kindsOf(book, later + 2 * HOUR).includes('abandoned_checkout'));
    }
  });

  it('is cancelled by an order with the same phone number more than a day later, even after a crash', () => {
    const book = new StoreBook();
    book.settings = { ...SETTINGS, abandonedDelayMs: 48 * HOUR };
    book.take(shopify('checkouts/create', { ...CHECKOUT, id: 9, token: 'other', cart_token: null }), NOW);
    const order = { ...ORDER, created_at: '2026-11-21T21:00:00+07:00' };
    book.take(shopify('orders/create', order), NOW + 30 * HOUR, { id: 'h', upTo: 2 });
    assert.equal(book.queue.size, 1);
    book.take(shopify('orders/create', order), NOW + 30 * HOUR, { id: 'h' });
    assert.deepEqual(kindsOf(book, NOW + 100 * HOUR), ['order_created']);
  });

  it('is cancelled when the platform reports the end of the checkout', () => {
    for (const [topic, body] of [
      ['checkouts/delete', { id: 371122 }],
      ['checkouts/update', { ...CHECKOUT, completed_at: '2026-11-20T15:00:00Z' }],
    ] as const) {
      const book = new StoreBook();
      book.take(shopify('checkouts/create', CHECKOUT), NOW);
      assert.equal(book.take(shopify(topic, body), NOW + 1).outcome, 'cancelled');
      assert.equal(book.queue.size, 0);
      assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 2).outcome, 'ignored');
    }
  });

  it('triggers at most one reminder a day per customer', () => {
    const book = new StoreBook();
    book.take(shopify('checkouts/create', CHECKOUT), NOW);
    assert.equal(
      book.take(shopify('checkouts/create', { ...CHECKOUT, id: 2, token: 't2', cart_token: 'c2' }), NOW + 1).outcome,
      'duplicate',
    );
  });

  it('triggers only one of two reminders that would be sent within a day of each other', () => {
    const second = { ...CHECKOUT, id: 2, token: 't2', cart_token: 'c2' };
    const weekdays = { hours: { start: '08:00', end: '16:00', days: [1, 2, 3, 4, 5] }, zone: 'Asia/Jakarta' };
    const evening = Date.parse('2026-11-20T18:00:00+07:00');
    for (const [settings, first, then] of [
      [{ ...SETTINGS, abandonedDelayMs: 48 * HOUR }, NOW, NOW + HOUR],
      [{ ...SETTINGS, reminderWindow: weekdays }, evening, evening + 30 * HOUR],
    ] as const) {
      const book = new StoreBook();
      book.settings = settings;
      assert.equal(book.take(shopify('checkouts/create', CHECKOUT), first).outcome, 'scheduled');
      assert.equal(book.take(shopify('checkouts/create', second), then).outcome, 'duplicate');
      assert.equal(book.queue.size, 1);
    }
  });

  it("triggers a reminder if the customer's previous unfinished checkout is at least a day older", () => {
    const book = new StoreBook();
    book.take(shopify('checkouts/create', CHECKOUT), NOW);
    const second = { ...CHECKOUT, id: 2, token: 't2', cart_token: 'c2' };
    assert.equal(book.take(shopify('checkouts/create', second), NOW + 24 * HOUR - 1).outcome, 'duplicate');
    assert.equal(book.take(shopify('checkouts/update', second), NOW + 24 * HOUR).outcome, 'scheduled');
    assert.equal(book.queue.size, 2);
  });

  it('never triggers a reminder without text, even if the text of a scheduled one becomes empty', () => {
    const book = new StoreBook();
    book.take(shopify('checkouts/create', CHECKOUT), NOW);
    book.settings = withText('abandoned_checkout', '{name}');
    assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 1).outcome, 'ignored');
    assert.equal(book.queue.size, 0);
    book.settings = SETTINGS;
    assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 2).outcome, 'scheduled');
  });

  it('triggers reminders only for customers who accepted marketing, if the owner requires that', () => {
    const book = new StoreBook();
    book.settings = { ...SETTINGS, onlyMarketing: true };
    assert.equal(book.take(shopify('checkouts/create', CHECKOUT), NOW).outcome, 'not_marketing');
    const accepted = { ...CHECKOUT, customer: { sms_marketing_consent: { state: 'subscribed' } } };
    assert.equal(book.take(shopify('checkouts/update', accepted), NOW).outcome, 'scheduled');
    assert.equal(book.take(shopify('checkouts/update', CHECKOUT), NOW + 1).outcome, 'not_marketing');
    assert.equal(book.queue.size, 0);
  });

  it('waits for the send window', () => {
    const book = new StoreBook();
    book.settings = {
      ...SETTINGS,
      reminderWindow: { hours: { start: '08:00', end: '16:00', days: [0, 1, 2, 3, 4, 5, 6] }, zone: 'Asia/Jakarta' },
    };
    book.take(shopify('checkouts/create', CHECKOUT), Date.parse('2026-11-20T15:30:00+07:00'));
    assert.equal([...book.queue.values()][0]?.at, Date.parse('2026-11-21T08:00:00+07:00'));
  });
});

it('a store link reaches the same final state if the process crashes between any two webhook actions', () => {
  const webhooks = [
    shopify('checkouts/create', CHECKOUT),
    shopify('checkouts/update', CHECKOUT),
    shopify('orders/create', ORDER),
    shopify('orders/paid', { ...ORDER, financial_status: 'paid' }),
    shopify('fulfillments/create', { id: 1, order_id: ORDER.id, status: 'success' }),
    shopify('fulfillments/update', { id: 1, order_id: ORDER.id, status: 'success', tracking_number: 'CGK1' }),
  ];
  const whole = new StoreBook();
  for (const [nth, fact] of webhooks.entries()) whole.take(fact, NOW + nth * 1_000, { id: `h${nth}` });
  for (let died = 0; died < webhooks.length; died += 1) {
    for (let upTo = 0; upTo < 6; upTo += 1) {
      const book = new StoreBook();
      for (const [nth, fact] of webhooks.entries()) {
        if (nth === died) book.take(fact, NOW + nth * 1_000, { id: `h${nth}`, upTo });
        const again = book.take(fact, NOW + nth * 1_000, { id: `h${nth}` });
        assert.notEqual(again.outcome, 'duplicate');
      }
      assert.deepEqual([...book.queue], [...whole.queue], `died at action ${upTo} of webhook ${died}`);
    }
  }
});
