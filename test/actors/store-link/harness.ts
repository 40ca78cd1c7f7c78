import { decide } from '../../../actors/store-link/behaviour/decide.ts';
import type { StoreFact } from '../../../actors/store-link/behaviour/facts.ts';
import type {
  CheckoutMemory,
  Decision,
  MessageKind,
  OrderMemory,
  ResolvedFact,
  StoreAction,
  StoreSettings,
} from '../../../actors/store-link/protocol.ts';

export const SETTINGS: StoreSettings = {
  name: 'Toko Melati',
  enabled: true,
  hasSession: true,
  isSuspended: false,
  templates: {
    order_created: { enabled: true, text: 'Hi {name}, we have your order {order}: {items}\nTotal: {total}' },
    order_paid: { enabled: true, text: 'Paid: {order}' },
    order_shipped: { enabled: true, text: 'On its way: {order}\n{courier} {tracking_number}\n{tracking_url}' },
    abandoned_checkout: { enabled: true, text: 'You left something: {checkout_url}' },
  },
  abandonedDelayMs: 3_600_000,
  onlyMarketing: false,
  reminderWindow: null,
};

export interface Queued {
  readonly kind: MessageKind;
  readonly phone: string;
  readonly text: string;
  readonly at: number;
}

const DAY_MS = 86_400_000;

/** What keeps customers from a harm, to be taken away one by one, so that a test shows the harm. */
export type Guard = 'order memory' | 'checkout memory' | 'one id per message' | 'match by phone' | 'cash on delivery';

/** The memory and the queue of one store, with each action carried out as the real ones are. */
export class StoreBook {
  readonly orders = new Map<string, OrderMemory>();
  readonly checkouts = new Map<string, CheckoutMemory>();
  /** What waits or went out, by what it is about. */
  readonly queue = new Map<string, Queued>();
  readonly records: string[] = [];
  settings: StoreSettings = SETTINGS;
  /** The guard that is missing. */
  without: Guard | null = null;
  #hooks = 0;

  /** Handles a webhook. `upTo` limits the number of its actions, as if the process had died then. */
  take(fact: StoreFact, now: number, { id = `hook-${++this.#hooks}`, upTo = Number.POSITIVE_INFINITY } = {}): Decision {
    return this.receive(resolve(fact), now, { id, upTo });
  }

  /** The same, with the number resolved. */
  receive(fact: ResolvedFact, now: number, { id = `hook-${++this.#hooks}`, upTo = Number.POSITIVE_INFINITY } = {}): Decision {
    const resolved = this.without === 'cash on delivery' ? paidAtTheDoor(fact) : fact;
    const decision = decide(this.settings, this.#knownOf(resolved, now), { id, fact: resolved, arrivedAt: now });
    for (const action of decision.actions.slice(0, upTo)) this.#carryOut(action, now);
    return decision;
  }

  sentBy(now: number): readonly Queued[] {
    return [...this.queue.values()].filter(({ at }) => at <= now);
  }

  #knownOf(fact: ResolvedFact, now: number) {
    const orderId = fact.type === 'order' ? fact.order.id : fact.type === 'shipment' ? fact.shipment.orderId : '';
    const phone = 'phone' in fact ? fact.phone : null;
    const keys = fact.type === 'order' ? fact.order.checkoutKeys : fact.type === 'checkout' ? fact.checkout.keys : [];
    const checkouts = [...this.checkouts.values()].filter(
      (one) =>
        one.keys.some((key) => keys.includes(key)) ||
        (this.without !== 'match by phone' && phone !== null && one.phone === phone) ||
        (fact.type === 'checkoutDeleted' && one.checkoutId === fact.checkoutId),
    );
    const ordered = [...this.orders.values()].filter((one) => phone !== null && one.phone === phone && now - one.seenAt < DAY_MS);
    const order = this.without === 'order memory' ? null : (this.orders.get(orderId) ?? null);
    return { order, checkouts, orderedAt: this.without === 'match by phone' ? null : (ordered.at(-1)?.seenAt ?? null) };
  }

  #carryOut(action: StoreAction, now: number): void {
    switch (action.do) {
      case 'rememberOrder':
        return void this.orders.set(action.memory.orderId, action.memory);
      case 'rememberCheckout':
        if (this.without === 'checkout memory' && action.memory.status === 'done')
          return void this.checkouts.delete(action.memory.checkoutId);
        return void this.checkouts.set(action.memory.checkoutId, action.memory);
      case 'schedule':
        return this.#schedule(action, now);
      case 'cancel': {
        const key = `${action.kind} ${action.of}`;
        if ((this.queue.get(key)?.at ?? 0) > now) this.queue.delete(key);
        return;
      }
      case 'record':
        return void this.records.push(`${action.outcome} ${action.ref}`);
    }
  }

  /** As the queue does it: what left already is left alone. */
  #schedule({ kind, of, phone, text, at }: Extract<StoreAction, { do: 'schedule' }>, now: number): void {
    const key = this.without === 'one id per message' ? `${kind} ${of} ${this.queue.size}` : `${kind} ${of}`;
    const before = this.queue.get(key);
    if (before === undefined || before.at > now) this.queue.set(key, { kind, phone, text, at });
  }
}

/** What comes of taking "processing" for "paid". */
const paidAtTheDoor = (fact: ResolvedFact): ResolvedFact =>
  fact.type === 'order' ? { ...fact, order: { ...fact.order, isPaid: fact.order.isPaid || fact.order.status === 'processing' } } : fact;

function resolve(fact: StoreFact): ResolvedFact {
  const phoneOf = (phones: readonly { readonly written: string }[]) => phones[0]?.written.replace(/\D/g, '') ?? null;
  switch (fact.type) {
    case 'order':
      return { ...fact, phone: phoneOf(fact.order.phones) };
    case 'shipment':
      return { ...fact, phone: phoneOf(fact.shipment.phones) };
    case 'checkout':
      return { ...fact, phone: phoneOf(fact.checkout.phones) };
    default:
      return fact;
  }
}
