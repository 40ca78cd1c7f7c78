import { type Buyer, shopTime } from './buyers.ts';

/** Variations of the platform's records between stores, apps and API versions. */
export interface ShopifyHabits {
  /** Value of the shipping address in an order that has none. */
  readonly noAddress: 'null' | 'list' | 'absent' | 'there';
  /** The only field that contains a number. */
  readonly phoneAt: 'order' | 'customer' | 'shipping' | 'billing' | 'default';
  /** Whether it was sold over a counter or by an app, without a checkout and a customer. */
  readonly isBare: boolean;
  readonly isPresentment: boolean;
  /** Whether the parcel's recipient left no number. */
  readonly isSilentParcel: boolean;
}

export interface Parcel {
  readonly nth: number;
  readonly number: string | null;
  readonly status: 'success' | 'pending' | 'cancelled';
  readonly at: number;
}

export interface ShopifyOrder {
  readonly id: bigint;
  readonly name: string;
  readonly buyer: Buyer;
  readonly habits: ShopifyHabits;
  readonly checkout: { readonly id: bigint; readonly token: string; readonly cart: string } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly financial: 'pending' | 'authorized' | 'paid';
  readonly gateway: string;
  readonly parcels: readonly Parcel[];
  readonly cancelledAt: number | null;
}

/** Ids exceed the precision of a double, so bodies are written with raw digits. */
const RAW_ID = /"(\d{16,})n"/g;

/** Serializes a body; `123n` becomes a number with these digits. */
export const shopifyBody = (record: object): string => JSON.stringify(record).replace(RAW_ID, '$1');

const raw = (id: bigint): string => `${id}n`.padStart(17, '9');

function address(buyer: Buyer, phone: string | null) {
  return {
    first_name: buyer.firstName,
    last_name: buyer.lastName,
    name: `${buyer.firstName} ${buyer.lastName}`,
    company: null,
    address1: 'Jl. Kenanga No. 12',
    address2: null,
    city: 'Bandung',
    zip: '40115',
    province: null,
    province_code: null,
    country: buyer.country === 'ID' ? 'Indonesia' : 'Singapore',
    country_code: buyer.country,
    phone,
    latitude: null,
    longitude: null,
  };
}

const items = (nth: number) =>
  Array.from({ length: 1 + (nth % 7) }, (_, line) => ({
    id: raw(BigInt(14_000_000_000_000 + line)),
    title: `Kaos ${line}`,
    variant_title: line % 2 ? 'Hitam / L' : null,
    name: line % 2 ? `Kaos ${line} - Hitam / L` : `Kaos ${line}`,
    quantity: 1 + line,
    current_quantity: 1 + line,
    price: '95000.00',
    line_price: '95000.00',
    properties: line % 2 ? [] : null,
    tax_lines: [],
  }));

const parcelOf = ({ id, name, buyer }: ShopifyOrder, { nth, number, status, at }: Parcel) => ({
  id: raw(id + BigInt(nth) + 1n),
  order_id: raw(id),
  name: `${name}.${nth}`,
  status,
  created_at: shopTime(at),
  updated_at: shopTime(at),
  shipment_status: null,
  tracking_company: number === null ? null : 'JNE',
  tracking_number: number,
  tracking_numbers: number === null ? [] : [number],
  tracking_url: number === null ? null : `https://jne.example/lacak/${number}`,
  tracking_urls: number === null ? [] : [`https://jne.example/lacak/${number}`],
  line_items: items(buyer.nth).slice(0, 1),
});

/** Returns the record of `orders/*`. */
export function orderRecord(order: ShopifyOrder) {
  const { id, name, buyer, habits, checkout, createdAt, updatedAt, financial, gateway, parcels, cancelledAt } = order;
  const { phoneAt, noAddress, isBare, isPresentment } = habits;
  const at = (place: ShopifyHabits['phoneAt'], written: string): string | null => (phoneAt === place ? written : null);
  const shipping =
    noAddress === 'there' || phoneAt === 'shipping' ? address(buyer, at('shipping', buyer.local)) : noAddress === 'list' ? [] : null;
  const isShipped = parcels.some(({ status }) => status === 'success');
  return {
    id: raw(id),
    name,
    order_number: Number(name.replace(/\D/g, '')),
    checkout_id: checkout ? raw(checkout.id) : null,
    checkout_token: checkout?.token ?? null,
    cart_token: checkout?.cart ?? null,
    phone: at('order', `+${buyer.phone}`) ?? (isBare ? `+${buyer.phone}` : null),
    created_at: shopTime(createdAt),
    updated_at: shopTime(updatedAt),
    cancelled_at: cancelledAt === null ? null : shopTime(cancelledAt),
    test: false,
    source_name: isBare ? 'pos' : 'web',
    currency: 'IDR',
    financial_status: financial,
    fulfillment_status: isShipped ? 'partial' : null,
    payment_gateway_names: [gateway],
    total_price: '350000.00',
    current_total_price: '350000.00',
    ...(isPresentment && {
      total_price_set: {
        shop_money: { amount: '350000.00', currency_code: 'IDR' },
        presentment_money: { amount: '28.90', currency_code: 'SGD' },
      },
    }),
    line_items: items(buyer.nth),
    fulfillments: parcels.map((parcel) => parcelOf(order, parcel)),
    ...((noAddress !== 'absent' || phoneAt === 'shipping') && { shipping_address: shipping }),
    billing_address: phoneAt === 'billing' || !isBare ? address(buyer, at('billing', buyer.local)) : null,
    ...(!isBare && {
      customer: {
        id: raw(BigInt(7_310_021_554_301)),
        first_name: buyer.firstName,
        last_name: buyer.lastName || null,
        phone: at('customer', `+${buyer.phone}`),
        email_marketing_consent: { state: 'not_subscribed' },
        sms_marketing_consent: null,
        default_address: { ...address(buyer, at('default', buyer.local)), default: true },
      },
    }),
  };
}

/** Returns the record of `fulfillments/*`, which contains the destination of the parcel but not the buyer. */
export const parcelRecord = (order: ShopifyOrder, parcel: Parcel) => ({
  ...parcelOf(order, parcel),
  email: 'buyer@example.com',
  destination: address(order.buyer, order.habits.isSilentParcel ? null : order.buyer.local),
});

export interface ShopifyCheckout {
  readonly id: bigint;
  readonly token: string;
  readonly cart: string;
  readonly buyer: Buyer;
  /** Whether the buyer has typed a number. */
  readonly hasPhone: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly completedAt: number | null;
}

/** Returns the record of `checkouts/create` and `checkouts/update`. */
export const checkoutRecord = ({ id, token, cart, buyer, hasPhone, createdAt, updatedAt, completedAt }: ShopifyCheckout) => ({
  id: raw(id),
  token,
  cart_token: cart,
  name: `#${id}`,
  email: 'buyer@example.com',
  phone: hasPhone ? `+${buyer.phone}` : null,
  sms_marketing_phone: null,
  buyer_accepts_marketing: false,
  buyer_accepts_sms_marketing: false,
  created_at: shopTime(createdAt),
  updated_at: shopTime(updatedAt),
  completed_at: completedAt === null ? null : shopTime(completedAt),
  closed_at: null,
  currency: 'IDR',
  presentment_currency: 'IDR',
  total_price: '190000.00',
  abandoned_checkout_url: `https://toko.example/checkouts/ac/${id}/recover?key=0123456789abcdef`,
  line_items: items(buyer.nth),
  ...(hasPhone && { shipping_address: address(buyer, null) }),
});
