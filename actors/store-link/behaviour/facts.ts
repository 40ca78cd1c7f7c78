export type StoreFact =
  | { readonly type: 'order'; readonly order: OrderFact }
  /** A parcel of an order, without the order's other data. */
  | { readonly type: 'shipment'; readonly shipment: ShipmentFact }
  | { readonly type: 'checkout'; readonly checkout: CheckoutFact }
  | { readonly type: 'checkoutDeleted'; readonly checkoutId: string }
  | { readonly type: 'ignored'; readonly ref: string | null; readonly detail: string };

export interface WrittenPhone {
  readonly written: string;
  readonly country: string | null;
}

/** `amount` is a decimal number in major units, as the store wrote it. */
export interface Price {
  readonly amount: string;
  readonly currency: string;
}

export interface Item {
  readonly name: string;
  readonly quantity: number;
}

export interface Tracking {
  readonly courier: string | null;
  readonly number: string | null;
  readonly url: string | null;
}

interface Buyer {
  /** Phone numbers in order of preference: the buyer's own before those in addresses. */
  readonly phones: readonly WrittenPhone[];
  readonly name: string | null;
}

interface Purchase extends Buyer {
  readonly createdAt: number | null;
  readonly total: Price | null;
  readonly items: readonly Item[];
}

export interface OrderFact extends Purchase {
  readonly id: string;
  readonly ref: string;
  readonly status: string | null;
  /** The time at which the order reached this state. Null if the store does not say. */
  readonly updatedAt: number | null;
  readonly isPaid: boolean;
  readonly isCancelled: boolean;
  readonly tracking: Tracking | null;
  readonly checkoutKeys: readonly string[];
}

export interface ShipmentFact extends Buyer {
  readonly orderId: string;
  readonly ref: string | null;
  readonly createdAt: number | null;
  readonly items: readonly Item[];
  readonly tracking: Tracking;
}

export interface CheckoutFact extends Purchase {
  readonly id: string;
  readonly keys: readonly string[];
  readonly url: string | null;
  readonly isCompleted: boolean;
  readonly acceptsMarketing: boolean;
}

export function checkoutKeysOf(id: string | null, token: string | null, cartToken: string | null): readonly string[] {
  const keys = [id && `id:${id}`, token && `token:${token}`, cartToken && `cart:${cartToken}`];
  return keys.flatMap((key) => key || []);
}
