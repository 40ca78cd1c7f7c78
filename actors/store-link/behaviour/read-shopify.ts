import {
  type CheckoutFact,
  checkoutKeysOf,
  type Item,
  type OrderFact,
  type Price,
  type StoreFact,
  type Tracking,
  type WrittenPhone,
} from './facts.ts';
import { at, firstText, idAt, type Json, listAt, quantityAt, shownAt, textAt, timeAt, urlAt } from './loose-json.ts';

/** The order id in the sample that the platform sends for "Send test notification". */
const SAMPLE_ORDER = '820982911946154508';
const ACCEPTED = 'subscribed';

export function readShopify(topic: string, body: Json): StoreFact {
  switch (topic) {
    case 'orders/create':
    case 'orders/paid':
    case 'orders/fulfilled':
    case 'orders/partially_fulfilled':
    case 'orders/cancelled':
      return readOrder(body);
    case 'fulfillments/create':
    case 'fulfillments/update':
      return readShipment(body);
    case 'checkouts/create':
    case 'checkouts/update':
      return readCheckout(body);
    case 'checkouts/delete':
      return readDeletion(body);
    default:
      return { type: 'ignored', ref: null, detail: `the topic ${topic.slice(0, 60)} is not used` };
  }
}

function readOrder(body: Json): StoreFact {
  const id = idAt(body, 'id');
  if (id === null) return { type: 'ignored', ref: null, detail: 'the order has no id' };
  const ref = shownAt(body, 'name', 'order_number') ?? id;
  if (id === SAMPLE_ORDER) return { type: 'ignored', ref, detail: 'sample notification' };
  const order: OrderFact = {
    id,
    ref,
    createdAt: timeAt(body, 'created_at'),
    phones: phonesOf(body, ['phone', 'customer.phone'], ADDRESSES),
    name: nameOf(body, ['customer', ...ADDRESSES]),
    total: totalOf(body),
    items: itemsOf(body),
    status: shownAt(body, 'fulfillment_status', 'financial_status'),
    updatedAt: timeAt(body, 'updated_at'),
    isPaid: textAt(body, 'financial_status') === 'paid',
    isCancelled: textAt(body, 'cancelled_at') !== null,
    tracking: lastTracking(listAt(body, 'fulfillments')) ?? (isFulfilled(body) ? NO_TRACKING : null),
    checkoutKeys: checkoutKeysOf(idAt(body, 'checkout_id'), idAt(body, 'checkout_token'), idAt(body, 'cart_token')),
  };
  return { type: 'order', order };
}

function readShipment(body: Json): StoreFact {
  const orderId = idAt(body, 'order_id');
  // The name of a parcel looks like "#1042.1", where "#1042" is the order.
  const ref = shownAt(body, 'name')?.replace(/\.\d+$/, '') ?? null;
  if (orderId === null) return { type: 'ignored', ref, detail: 'the fulfilment names no order' };
  if (orderId === SAMPLE_ORDER) return { type: 'ignored', ref, detail: 'sample notification' };
  if (!isOnItsWay(body)) return { type: 'ignored', ref, detail: `the fulfilment is ${shownAt(body, 'status')}` };
  return {
    type: 'shipment',
    shipment: {
      orderId,
      ref,
      createdAt: timeAt(body, 'created_at'),
      phones: phonesOf(body, [], ['destination']),
      name: nameOf(body, ['destination']),
      items: itemsOf(body),
      tracking: trackingOf(body),
    },
  };
}

function readCheckout(body: Json): StoreFact {
  const id = idAt(body, 'id');
  const token = idAt(body, 'token');
  const known = id ?? token;
  if (known === null) return { type: 'ignored', ref: null, detail: 'the checkout has no id' };
  const checkout: CheckoutFact = {
    id: known,
    keys: checkoutKeysOf(id, token, idAt(body, 'cart_token')),
    createdAt: timeAt(body, 'created_at'),
    phones: phonesOf(body, ['phone', 'sms_marketing_phone', 'customer.phone'], ADDRESSES),
    name: nameOf(body, ['customer', ...ADDRESSES]),
    total: priceOf(textAt(body, 'total_price'), firstText(body, 'presentment_currency', 'currency')),
    items: itemsOf(body),
    url: urlAt(body, 'abandoned_checkout_url'),
    isCompleted: textAt(body, 'completed_at') !== null,
    acceptsMarketing: acceptsMarketing(body),
  };
  return { type: 'checkout', checkout };
}

function readDeletion(body: Json): StoreFact {
  const checkoutId = idAt(body, 'id') ?? idAt(body, 'token');
  return checkoutId === null ? { type: 'ignored', ref: null, detail: 'the checkout has no id' } : { type: 'checkoutDeleted', checkoutId };
}

const ADDRESSES = ['shipping_address', 'billing_address', 'customer.default_address'] as const;

/** The buyer's own numbers come first, because an address may belong to the recipient of a gift. */
function phonesOf(body: Json, own: readonly string[], addresses: readonly string[]): readonly WrittenPhone[] {
  const home = firstText(body, ...ADDRESSES.map((address) => `${address}.country_code`));
  const ofBuyer = own.map((path) => [textAt(body, path), home] as const);
  const ofAddresses = addresses.map((path) => [textAt(body, `${path}.phone`), textAt(body, `${path}.country_code`) ?? home] as const);
  return [...ofBuyer, ...ofAddresses].flatMap(([written, country]) => (written === null ? [] : { written, country }));
}

function nameOf(body: Json, people: readonly string[]): string | null {
  for (const person of people) {
    const parts = [textAt(body, `${person}.first_name`), textAt(body, `${person}.last_name`)].filter((part) => part !== null);
    const name = parts.length > 0 ? parts.join(' ') : textAt(body, `${person}.name`);
    if (name !== null) return name;
  }
  return null;
}

function totalOf(body: Json): Price | null {
  const sets = ['current_total_price_set', 'total_price_set'].map((set) =>
    priceOf(textAt(body, `${set}.presentment_money.amount`), textAt(body, `${set}.presentment_money.currency_code`)),
  );
  return sets.find((price) => price !== null) ?? priceOf(firstText(body, 'current_total_price', 'total_price'), textAt(body, 'currency'));
}

const priceOf = (amount: string | null, currency: string | null): Price | null =>
  amount === null || currency === null ? null : { amount, currency };

function itemsOf(body: Json): readonly Item[] {
  return listAt(body, 'line_items').flatMap((line) => {
    const name = textAt(line, 'name') ?? titleOf(line);
    const quantity = quantityAt(line, 'current_quantity', 'quantity');
    return name === null || quantity === 0 ? [] : { name, quantity };
  });
}

function titleOf(line: Json): string | null {
  const title = firstText(line, 'presentment_title', 'title');
  const variant = firstText(line, 'presentment_variant_title', 'variant_title');
  return title === null ? null : [title, variant].filter((part) => part !== null).join(' - ');
}

const NO_TRACKING: Tracking = { courier: null, number: null, url: null };

const isFulfilled = (body: Json): boolean => ['fulfilled', 'partial'].includes(textAt(body, 'fulfillment_status') ?? '');

const isOnItsWay = (parcel: Json): boolean => ['success', 'pending', 'open', null].includes(textAt(parcel, 'status'));

function lastTracking(parcels: readonly Json[]): Tracking | null {
  const known = parcels.filter(isOnItsWay).map(trackingOf);
  return known.findLast(({ number }) => number !== null) ?? known.at(-1) ?? null;
}

function trackingOf(parcel: Json): Tracking {
  const last = (path: string): string | null => {
    const entry = listAt(parcel, path).at(-1);
    return typeof entry === 'string' && entry.trim() !== '' ? entry.trim() : null;
  };
  return {
    courier: textAt(parcel, 'tracking_company'),
    number: textAt(parcel, 'tracking_number') ?? last('tracking_numbers'),
    url: urlAt(parcel, 'tracking_url') ?? lastUrl(parcel),
  };
}

const lastUrl = (parcel: Json): string | null => urlAt({ url: listAt(parcel, 'tracking_urls').at(-1) ?? null }, 'url');

function acceptsMarketing(body: Json): boolean {
  const flags = ['buyer_accepts_marketing', 'buyer_accepts_sms_marketing'].map((path) => at(body, path));
  const states = ['email', 'sms'].map((kind) => textAt(body, `customer.${kind}_marketing_consent.state`));
  return flags.includes(true) || states.includes(ACCEPTED);
}
