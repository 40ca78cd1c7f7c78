import type { Buyer } from './buyers.ts';

/** Variations of orders between shops with different plugins. */
export interface WooHabits {
  /** Form of tracking numbers in the order's metadata. */
  readonly tracking: 'list' | 'object' | 'bare' | 'serialised';
  /** Status that marks a shipped parcel. */
  readonly shippedStatus: 'completed' | 'shipped' | 'partial-shipped';
  /** Whether a plugin changes the order numbers. */
  readonly hasOwnNumbers: boolean;
  readonly phoneAt: 'billing' | 'shipping';
}

export interface WooOrder {
  readonly id: number;
  readonly buyer: Buyer;
  readonly habits: WooHabits;
  readonly status: string;
  readonly method: 'cod' | 'bacs' | 'midtrans';
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly paidAt: number | null;
  readonly trackingNumber: string | null;
}

/** The platform's times have no zone. */
const bare = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

const numberOf = ({ id, habits }: Pick<WooOrder, 'id' | 'habits'>): string => (habits.hasOwnNumbers ? `TK-${id}` : String(id));

const item = (tracking_number: string) => ({
  tracking_provider: '',
  custom_tracking_provider: 'J&T Express',
  custom_tracking_link: `https://jet.example/track/${tracking_number}`,
  tracking_number,
  date_shipped: '1763683200',
  tracking_id: 'b6e64953c427b2336ac9baffb87a51cd',
});

function meta({ habits, trackingNumber }: WooOrder) {
  if (trackingNumber === null) return [];
  const key = '_wc_shipment_tracking_items';
  switch (habits.tracking) {
    case 'list':
      return [{ id: 1, key, value: [item('OLD1'), item(trackingNumber)] }];
    case 'object':
      return [{ id: 1, key, value: { 1: item(trackingNumber) } }];
    case 'bare':
      return [{ id: 1, key: '_tracking_number', value: trackingNumber }];
    case 'serialised':
      return [{ id: 1, key, value: `a:1:{i:0;a:1:{s:15:"tracking_number";s:${trackingNumber.length}:"${trackingNumber}";}}` }];
  }
}

/** Returns the body: the order in its current state. */
export function wooRecord(order: WooOrder) {
  const { id, buyer, habits, status, method, createdAt, modifiedAt, paidAt } = order;
  const place = {
    first_name: buyer.firstName,
    last_name: buyer.lastName,
    company: '',
    address_1: 'Jl. Melati 7',
    address_2: '',
    city: 'Surabaya',
    state: 'JI',
    postcode: '60241',
    country: buyer.country,
  };
  return {
    id,
    parent_id: 0,
    number: numberOf(order),
    order_key: 'wc_order_Q6tuhq12KJOel',
    created_via: 'store-api',
    version: '10.9.1',
    status,
    currency: 'IDR',
    currency_symbol: 'Rp',
    date_created: bare(createdAt + 7 * 3_600_000),
    date_created_gmt: bare(createdAt),
    date_modified: bare(modifiedAt + 7 * 3_600_000),
    date_modified_gmt: bare(modifiedAt),
    date_paid: paidAt === null ? null : bare(paidAt + 7 * 3_600_000),
    date_paid_gmt: paidAt === null ? null : bare(paidAt),
    total: '205000',
    customer_id: 0,
    customer_note: '',
    billing: { ...place, email: 'buyer@example.com', phone: habits.phoneAt === 'billing' ? buyer.local : '' },
    shipping: { ...place, phone: habits.phoneAt === 'shipping' ? buyer.local : '' },
    payment_method: method,
    payment_method_title: method,
    transaction_id: '',
    meta_data: meta(order),
    line_items: [{ id: 991, name: 'Sepatu Kanvas - 42', product_id: 310, quantity: 1, total: '190000', price: 190_000, meta_data: [] }],
    tax_lines: [],
    shipping_lines: [],
    fee_lines: [],
    coupon_lines: [],
    refunds: [],
  };
}
