import type { Delivery } from './platform.ts';

/**
 * A store's reports about one order or checkout, from its webhook bodies: `sure` if one was accepted, `maybe` if one
 * was only sent.
 */
interface Told {
  readonly created: Certainty;
  readonly paid: Certainty;
  readonly shipped: Certainty;
  readonly isCancelled: boolean;
}

type Certainty = 'no' | 'maybe' | 'sure';

interface CheckoutTold {
  readonly hasPhone: Certainty;
  /** When the purchase was first reported and accepted; null if it was not. */
  readonly boughtAt: number | null;
  readonly isMaybeBought: boolean;
}

/** A message that a customer's phone shows. */
export interface Shown {
  readonly text: string;
  /** Epoch ms. */
  readonly at: number;
}

/** Texts of the trial's templates. */
export const TEMPLATES = {
  order_created: { enabled: true, text: 'created {order} ' },
  order_paid: { enabled: true, text: 'paid {order} ' },
  order_shipped: { enabled: true, text: 'shipped {order} ' },
  abandoned_checkout: { enabled: true, text: 'reminder {checkout_url}' },
} as const;

type Kind = 'created' | 'paid' | 'shipped';
const KINDS = ['created', 'paid', 'shipped'] as const;

/** All reports of two stores, and the messages that should follow from them. */
export class Ledger {
  readonly #orders = new Map<string, Told>();
  readonly #checkouts = new Map<string, CheckoutTold>();
  deliveries = 0;

  get orders(): number {
    return this.#orders.size;
  }

  shopify({ topic, body, isAccepted, endedAt }: Delivery): void {
    this.deliveries += 1;
    const certainty = isAccepted ? 'sure' : 'maybe';
    // Parsing truncates the ids, but not the fields by which records are identified.
    const record = JSON.parse(body);
    if (topic.startsWith('checkouts/')) return this.#checkout(record, certainty, endedAt);
    const ref = String(record.name).replace(/\.\d+$/, '');
    if (topic.startsWith('fulfillments/')) {
      // The message about a parcel without a number goes to the number of its order, if that is already known.
      const isReachable = record.destination.phone !== null || this.#orders.get(ref)?.created === 'sure';
      return this.#note(ref, record.status === 'success' ? ['shipped'] : [], isReachable ? certainty : 'maybe', false);
    }
    const isShipped = record.fulfillments.some((parcel: { status: string }) => parcel.status === 'success');
    const kinds: Kind[] = [
      'created',
      ...(record.financial_status === 'paid' ? ['paid' as const] : []),
      ...(isShipped ? ['shipped' as const] : []),
    ];
    this.#note(ref, kinds, certainty, record.cancelled_at !== null);
    // An app's order names no checkout and may arrive before its customer's checkout. It is matched by the customer's
    // number.
    this.#bought(ref.replace('#S', ''), certainty, endedAt);
  }

  woo({ body, isAccepted }: Delivery): void {
    this.deliveries += 1;
    const { status, number, payment_method, date_paid } = JSON.parse(body);
    if (status === 'checkout-draft') return;
    const isCancelled = ['cancelled', 'refunded'].includes(status);
    const isPaid = payment_method !== 'cod' && date_paid !== null;
    const isShipped = ['completed', 'shipped', 'partial-shipped'].includes(status);
    const kinds: Kind[] = ['created', ...(isPaid ? ['paid' as const] : []), ...(isShipped ? ['shipped' as const] : [])];
    this.#note(number, isCancelled ? [] : kinds, isAccepted ? 'sure' : 'maybe', isCancelled);
  }

  /** Returns a sentence for each message that is duplicated, missing, unjustified, or later than the purchase. */
  wrong(shown: readonly Shown[]): readonly string[] {
    const byText = Map.groupBy(shown, ({ text }) => text);
    const count = (text: string): number => byText.get(text)?.length ?? 0;
    const ofOrders = [...this.#orders].flatMap(([ref, told]) =>
      KINDS.flatMap((kind) =>
        this.#wrongCount(`${kind} ${ref}`, count(`${kind} ${ref}`), told.isCancelled ? 'maybe' : told[kind], told[kind]),
      ),
    );
    const ofCheckouts = [...this.#checkouts].flatMap(([nth, told]) => wrongReminder(nth, told, shown));
    return [...ofOrders, ...ofCheckouts];
  }

  #wrongCount(what: string, count: number, atLeast: Certainty, atMost: Certainty): readonly string[] {
    if (count > 1) return [`${what}: ${count} times`];
    if (count === 1 && atMost === 'no') return [`${what}: never true`];
    return count === 0 && atLeast === 'sure' ? [`${what}: missing`] : [];
  }

  #note(ref: string, kinds: readonly Kind[], certainty: Certainty, isCancelled: boolean): void {
    const before = this.#orders.get(ref) ?? { created: 'no', paid: 'no', shipped: 'no', isCancelled: false };
    const now = { ...before, isCancelled: before.isCancelled || isCancelled };
    for (const kind of kinds) now[kind] = before[kind] === 'sure' ? 'sure' : certainty;
    this.#orders.set(ref, now);
  }

  #checkout(record: { cart_token: string; phone: string | null; completed_at: string | null }, certainty: Certainty, at: number): void {
    const nth = record.cart_token.replace('cart', '');
    const before = this.#checkouts.get(nth) ?? UNKNOWN;
    const hasPhone = before.hasPhone === 'sure' || record.phone === null ? before.hasPhone : certainty;
    this.#checkouts.set(nth, { ...before, hasPhone });
    if (record.completed_at !== null) this.#bought(nth, certainty, at);
  }

  #bought(nth: string, certainty: Certainty, at: number): void {
    const before = this.#checkouts.get(nth) ?? UNKNOWN;
    const boughtAt = certainty === 'sure' ? (before.boughtAt ?? at) : before.boughtAt;
    this.#checkouts.set(nth, { ...before, boughtAt, isMaybeBought: true });
  }
}

const UNKNOWN: CheckoutTold = { hasPhone: 'no', boughtAt: null, isMaybeBought: false };

function wrongReminder(nth: string, { hasPhone, boughtAt, isMaybeBought }: CheckoutTold, shown: readonly Shown[]): readonly string[] {
  const reminders = shown.filter(
    ({ text }) => text.startsWith('reminder ') && text.includes(`/ac/${9_100_000_000_000_000n + BigInt(nth) * 10n}/`),
  );
  if (reminders.length > 1) return [`reminder ${nth}: ${reminders.length} times`];
  const [reminder] = reminders;
  if (reminder && boughtAt !== null && reminder.at > boughtAt) return [`reminder ${nth}: after the purchase`];
  return !reminder && hasPhone === 'sure' && !isMaybeBought ? [`reminder ${nth}: missing`] : [];
}
