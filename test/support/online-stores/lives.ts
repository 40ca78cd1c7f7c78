import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { aBuyer, pick } from './buyers.ts';
import {
  checkoutRecord,
  orderRecord,
  type Parcel,
  parcelRecord,
  type ShopifyCheckout,
  type ShopifyOrder,
  shopifyBody,
} from './shopify-shapes.ts';
import type { WooTopic } from './woocommerce.ts';
import { type WooOrder, wooRecord } from './woocommerce-shapes.ts';

export interface Life {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly random: Random;
  readonly nth: number;
}

export interface TellsShopify {
  tell(topic: string, body: string): void;
}

export interface TellsWoo {
  /** `bodyNow` builds the body when it is sent. */
  changed(topic: WooTopic, orderId: number, bodyNow: () => string): void;
}

/** A customer's second number equals that of the customer this many positions later. */
export const OTHER_NUMBER = 500_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Returns a random duration within these bounds, in ms. */
const between = (random: Random, least: number, most: number): number => Math.floor(least + random() * (most - least));

/**
 * Simulates one Shopify customer from the first checkout field to the parcel, or to an earlier end. Returns the
 * duration in ms.
 */
export function shopifyLife(life: Life, store: TellsShopify): number {
  const { clock, random, nth } = life;
  const buyer = aBuyer(nth, random);
  const ids = { id: 9_100_000_000_000_000n + BigInt(nth) * 10n, token: `token${nth}`, cart: `cart${nth}` };
  const hasCheckout = random() < 0.8;
  // An app that creates orders may not name a checkout.
  const isJoined = random() < 0.8;
  let at = 0;
  let last = 0;
  const later = (ms: number, run: () => void): void => {
    last = Math.max(last, ms);
    clock.after(ms, run);
  };

  if (hasCheckout) {
    const updates = random() < 0.2 ? between(random, 15, 20) : between(random, 1, 4);
    const phoneFrom = between(random, 0, updates);
    const createdAt = clock.now();
    const tell = (topic: string, change: Partial<ShopifyCheckout>): void =>
      store.tell(
        topic,
        shopifyBody(checkoutRecord({ ...ids, buyer, hasPhone: true, createdAt, updatedAt: clock.now(), completedAt: null, ...change })),
      );
    later(0, () => tell('checkouts/create', { hasPhone: phoneFrom === 0 }));
    for (let update = 1; update <= updates; update += 1) {
      at += between(random, SECOND, 4 * SECOND);
      later(at, () => tell('checkouts/update', { hasPhone: update >= phoneFrom }));
    }
    if (random() < 0.25) return last;
    at += between(random, 5 * SECOND, 8 * MINUTE);
    if (isJoined) later(at, () => tell('checkouts/update', { completedAt: clock.now() }));
    if (random() < 0.3) later(at + between(random, SECOND, MINUTE), () => tell('checkouts/update', {}));
  }

  // Some customers give another number in the order than in the checkout.
  const purchaser = !isJoined || random() < 0.8 ? buyer : aBuyer(nth + OTHER_NUMBER, random);
  return Math.max(last, shopifyPurchase(life, store, at, { buyer: purchaser, checkout: hasCheckout && isJoined ? ids : null }));
}

function shopifyPurchase(
  { clock, random, nth }: Life,
  store: TellsShopify,
  boughtAfter: number,
  { buyer, checkout }: Pick<ShopifyOrder, 'buyer' | 'checkout'>,
): number {
  const hasCheckout = checkout !== null;
  let at = boughtAfter;
  let last = at;
  const later = (ms: number, run: () => void): void => {
    last = Math.max(last, ms);
    clock.after(ms, run);
  };
  const isOnDelivery = random() < 0.3;
  let order: ShopifyOrder = {
    id: 9_500_000_000_000_000n + BigInt(nth) * 10n,
    name: `#S${nth}`,
    buyer,
    habits: {
      noAddress: pick(['null', 'list', 'absent', 'there'], random),
      phoneAt: hasCheckout ? pick(['order', 'customer', 'shipping', 'billing', 'default'], random) : 'order',
      isBare: !hasCheckout,
      isPresentment: random() < 0.3,
      isSilentParcel: random() < 0.4,
    },
    checkout,
    createdAt: clock.now() + at,
    updatedAt: clock.now() + at,
    financial: 'pending',
    gateway: isOnDelivery ? 'Cash on Delivery (COD)' : 'shopify_payments',
    parcels: [],
    cancelledAt: null,
  };
  const changed = (ms: number, change: () => Partial<ShopifyOrder>, tell: () => void): void =>
    later(ms, () => {
      order = { ...order, ...change(), updatedAt: clock.now() };
      tell();
    });
  const tellOrder = (topic: string) => (): void => store.tell(topic, shopifyBody(orderRecord(order)));

  changed(at, () => (isOnDelivery ? {} : { financial: pick(['pending', 'paid'], random) }), tellOrder('orders/create'));
  if (!isOnDelivery) changed(at + between(random, 0, 2 * SECOND), () => ({ financial: 'paid' }), tellOrder('orders/paid'));
  const isShipped = random() < 0.6;
  if (isShipped) {
    const parcels = random() < 0.2 ? 2 : 1;
    for (let nth = 1; nth <= parcels; nth += 1) {
      at += between(random, 2 * MINUTE, 10 * MINUTE);
      ship(nth, at);
    }
  }
  if (isOnDelivery && random() < 0.6)
    changed(at + between(random, MINUTE, 20 * MINUTE), () => ({ financial: 'paid' }), tellOrder('orders/paid'));
  if (random() < 0.08) changed(at + between(random, 0, 10 * MINUTE), () => ({ cancelledAt: clock.now() }), tellOrder('orders/cancelled'));
  return last;

  function ship(parcelNth: number, ms: number): void {
    const number = `CGK${nth}N${parcelNth}`;
    const isFollowed = random() < 0.6;
    const put = (parcel: Parcel) => () => ({ parcels: [...order.parcels.filter((one) => one.nth !== parcelNth), parcel] });
    const parcel: Parcel = { nth: parcelNth, number: isFollowed ? number : null, status: 'success', at: clock.now() + ms };
    const tellParcel = (topic: string, what: Parcel) => (): void => store.tell(topic, shopifyBody(parcelRecord(order, what)));
    changed(ms, put(parcel), tellParcel('fulfillments/create', parcel));
    // Not every store subscribes to these topics.
    if (nth % 3) changed(ms + SECOND, () => ({}), tellOrder(random() < 0.5 ? 'orders/fulfilled' : 'orders/partially_fulfilled'));
    if (!isFollowed && random() < 0.7) {
      const followed = { ...parcel, number };
      changed(ms + between(random, 2 * SECOND, 3 * MINUTE), put(followed), tellParcel('fulfillments/update', followed));
    }
  }
}

/** Simulates one WooCommerce customer. Returns the duration in ms. */
export function wooLife({ clock, random, nth }: Life, store: TellsWoo): number {
  const method = pick(['cod', 'bacs', 'midtrans'] as const, random);
  let order: WooOrder = {
    id: 4_000 + nth,
    buyer: aBuyer(nth, random),
    habits: {
      tracking: pick(['list', 'object', 'bare', 'serialised'], random),
      shippedStatus: pick(['completed', 'completed', 'shipped', 'partial-shipped'], random),
      hasOwnNumbers: random() < 0.3,
      phoneAt: random() < 0.8 ? 'billing' : 'shipping',
    },
    status: 'checkout-draft',
    method,
    createdAt: clock.now(),
    modifiedAt: clock.now(),
    paidAt: null,
    trackingNumber: null,
  };
  let at = 0;
  let last = 0;
  const changed = (ms: number, topic: 'order.created' | 'order.updated', change: () => Partial<WooOrder>): void => {
    last = Math.max(last, ms);
    clock.after(ms, () => {
      order = { ...order, ...change(), modifiedAt: clock.now() };
      store.changed(topic, order.id, () => JSON.stringify(wooRecord(order)));
    });
  };
  const paid = (): Partial<WooOrder> => ({ status: 'processing', paidAt: clock.now() });

  if (random() < 0.3) changed(0, 'order.updated', () => ({}));
  at += between(random, SECOND, 5 * MINUTE);
  changed(at, 'order.created', () => ({ status: method === 'cod' ? 'processing' : method === 'bacs' ? 'on-hold' : 'pending' }));
  if (random() < 0.5) changed(at + SECOND, 'order.updated', () => ({}));
  if (method !== 'cod' && random() < 0.8) {
    at += between(random, SECOND, 10 * MINUTE);
    changed(at, 'order.updated', paid);
  }
  if (random() < 0.08) {
    at += between(random, SECOND, 10 * MINUTE);
    changed(at, 'order.updated', () => ({ status: pick(['cancelled', 'refunded'], random) }));
    return last;
  }
  if (random() < 0.7) {
    at += between(random, MINUTE, 10 * MINUTE);
    const trackingNumber = random() < 0.8 ? `JP${nth}` : null;
    changed(at, 'order.updated', () => ({
      status: order.habits.shippedStatus,
      trackingNumber,
      // Cash on delivery is booked as paid when the order is completed.
      paidAt: order.paidAt ?? (order.habits.shippedStatus === 'completed' && order.method === 'cod' ? clock.now() : null),
    }));
    // Staff edit the order again.
    changed(at + between(random, SECOND, 15 * MINUTE), 'order.updated', () => ({}));
  }
  return last;
}
