import { isDeepStrictEqual } from 'node:util';
import type {
  Decision,
  Hook,
  Known,
  OrderMemory,
  OrderMessageKind,
  Outcome,
  ResolvedFact,
  StoreAction,
  StoreSettings,
} from '../protocol.ts';
import { endBoughtCheckouts } from './decide-checkout.ts';
import type { Item, OrderFact, Price, Tracking } from './facts.ts';
import { itemsText, NO_VALUES, NOTHING_TO_SAY, plainText, priceText, renderTemplate, type TemplateValues } from './message-text.ts';

/**
 * Decides which order messages to send: one of each kind per order, even if webhooks are repeated,
 * late or out of order. Pure. The order memory in the store records which messages were handled.
 */

/** Older unknown orders are ignored, because an import sends thousands of them. */
const MAX_AGE_MS = 48 * 3_600_000;
const TRACKING_WAIT_MS = 120_000;
/** Kinds of messages in sending order. They are sent a second apart even if their webhooks coincide. */
const KINDS: readonly OrderMessageKind[] = ['order_created', 'order_paid', 'order_shipped'];
const APART_MS = 1_000;
/** Wait for earlier webhooks, because a store may send a shipment before its new order. */
const EARLIER_WAIT_MS = 5_000;
const NEW_MS = 600_000;
const TOO_OLD = 'the order is older than two days';

type OrderResolved = Extract<ResolvedFact, { type: 'order' }>;
type ShipmentResolved = Extract<ResolvedFact, { type: 'shipment' }>;

interface Purchase {
  readonly orderId: string;
  readonly ref: string | null;
  readonly phone: string | null;
  readonly name: string | null;
  readonly total: Price | null;
  readonly items: readonly Item[];
  readonly status: string | null;
  readonly tracking: Tracking | null;
  readonly wanted: readonly OrderMessageKind[];
}

export function decideOrder(settings: StoreSettings, known: Known, hook: Hook, { order, phone }: OrderResolved): Decision {
  const bought = endBoughtCheckouts(known, order, phone, hook);
  const decision = messagesFor(settings, known, hook, order, phone, bought.count > 0);
  return { ...decision, actions: [...bought.actions, ...decision.actions] };
}

function messagesFor(
  settings: StoreSettings,
  known: Known,
  hook: Hook,
  order: OrderFact,
  phone: string | null,
  hadReminder: boolean,
): Decision {
  const { id: orderId, ref, name, total, items, status, tracking } = order;
  if (order.isCancelled) return cancelOrder(known, order, hook, hadReminder);
  if (known.order === null && isOld(order.createdAt, hook.arrivedAt)) return { ref, outcome: 'ignored', detail: TOO_OLD, actions: [] };
  if (isHistory(known.order, order)) return { ref, outcome: 'ignored', detail: 'the order has been cancelled since', actions: [] };
  const wanted = KINDS.filter((kind) => kind === 'order_created' || (kind === 'order_paid' ? order.isPaid : tracking !== null));
  const reached = phone ?? known.order?.phone ?? null;
  return sayWhatIsNew(settings, known, hook, { orderId, ref, phone: reached, name, total, items, status, tracking, wanted });
}

const isHistory = (memory: OrderMemory | null, { updatedAt }: OrderFact): boolean =>
  memory !== null && memory.cancelledAt !== null && (updatedAt === null || updatedAt <= memory.cancelledAt);

/** Prefers the order's phone to the recipient's, because a fulfilment does not name the buyer. */
export function decideShipment(settings: StoreSettings, known: Known, hook: Hook, { shipment, phone }: ShipmentResolved): Decision {
  const ref = known.order?.ref ?? shipment.ref;
  if (known.order === null && isOld(shipment.createdAt, hook.arrivedAt))
    return { ref, outcome: 'ignored', detail: 'the fulfilment is older than two days', actions: [] };
  const { orderId, items, tracking } = shipment;
  return sayWhatIsNew(settings, known, hook, {
    orderId,
    ref,
    phone: known.order?.phone ?? phone,
    name: known.order?.name ?? shipment.name,
    total: null,
    items,
    status: null,
    tracking,
    wanted: ['order_shipped'],
  });
}

function cancelOrder(known: Known, order: OrderFact, hook: Hook, hadReminder: boolean): Decision {
  const before = known.order ?? newMemory(order, hook);
  const waits = before.shipmentWaitsUntil !== null && before.shipmentWaitsUntil > hook.arrivedAt;
  const memory: OrderMemory = { ...before, cancelledAt: order.updatedAt ?? hook.arrivedAt };
  const taken: readonly StoreAction[] = waits ? [{ do: 'cancel', kind: 'order_shipped', of: order.id }] : [];
  const outcome = waits || hadReminder ? 'cancelled' : 'ignored';
  return { ref: order.ref, outcome, detail: 'the order was cancelled', actions: [...taken, { do: 'rememberOrder', memory }] };
}

const isOld = (createdAt: number | null, now: number): boolean => createdAt !== null && now - createdAt > MAX_AGE_MS;

function sayWhatIsNew(settings: StoreSettings, known: Known, hook: Hook, purchase: Purchase): Decision {
  const before = known.order?.handled ?? {};
  const isOpen = (kind: OrderMessageKind): boolean => before[kind] === undefined || before[kind].hookId === hook.id;
  const better = improvesTracking(known.order, purchase.tracking, hook);
  const open = purchase.wanted.filter((kind) => isOpen(kind) || (kind === 'order_shipped' && better));
  const isOn = (kind: OrderMessageKind): boolean => settings.templates[kind].enabled;
  const { ref } = purchase;
  const skipped = open.filter((kind) => !isOn(kind));
  const memory = withHandled(memoryOf(known, hook, purchase), skipped, hook, false);
  const nothing = (outcome: Outcome, detail: string | null): Decision => ({
    ref,
    outcome,
    detail,
    // If nothing has changed, which is usual, nothing needs to be written.
    actions: isDeepStrictEqual(memory, known.order) ? [] : [{ do: 'rememberOrder', memory }],
  });
  if (open.length === 0) return nothing('duplicate', null);
  const wanted = open.filter(isOn);
  if (wanted.length === 0) return nothing('off', `${open.join(', ')} is switched off`);
  if (purchase.phone === null) return nothing('no_phone', null);
  if (!settings.hasSession) return nothing('no_session', null);
  return send(settings, hook, { ...purchase, wanted }, memory, better && !isOpen('order_shipped'));
}

function improvesTracking(order: OrderMemory | null, tracking: Tracking | null, { arrivedAt }: Hook): boolean {
  const waits = order !== null && order.shipmentWaitsUntil !== null && order.shipmentWaitsUntil > arrivedAt;
  return waits && !order.handled.order_shipped?.hasTracking && tracking?.number != null;
}

function send(settings: StoreSettings, hook: Hook, purchase: Purchase, memory: OrderMemory, isImproved: boolean): Decision {
  const { ref, orderId, wanted, tracking } = purchase;
  const hasTracking = tracking?.number != null;
  const mustWait = wanted.includes('order_shipped') && !hasTracking;
  const waitsUntil = mustWait ? hook.arrivedAt + TRACKING_WAIT_MS : null;
  const inTime = wanted.filter((kind) => kind !== 'order_created' || !isOld(memory.seenAt, hook.arrivedAt));
  const texts = textsOf(settings, { ...purchase, wanted: inTime });
  const first = firstDue(memory, hook);
  const afterEarlier = !isImproved && mayComeAfter(settings, memory, hook, wanted) ? hook.arrivedAt + EARLIER_WAIT_MS : 0;
  const schedules = texts.map(({ kind, text }, nth): StoreAction => {
    const inTurn = first + nth * APART_MS;
    const at = kind === 'order_shipped' ? (waitsUntil ?? Math.max(inTurn, afterEarlier)) : inTurn;
    return { do: 'schedule', kind, of: orderId, phone: purchase.phone ?? '', text, at };
  });
  const remembered: OrderMemory = {
    ...withHandled(memory, wanted, hook, hasTracking, first + Math.max(0, texts.length - 1) * APART_MS),
    shipmentWaitsUntil: wanted.includes('order_shipped') ? waitsUntil : memory.shipmentWaitsUntil,
  };
  const remember = { do: 'rememberOrder', memory: remembered } as const;
  if (texts.length === 0) return { ref, outcome: 'ignored', detail: inTime.length === 0 ? TOO_OLD : NOTHING_TO_SAY, actions: [remember] };
  const onlyWaits = mustWait && texts.every(({ kind }) => kind === 'order_shipped');
  const outcome = onlyWaits || settings.isSuspended ? 'scheduled' : 'sent';
  return { ref, outcome, detail: detailOf(settings, isImproved, onlyWaits), actions: [remember, ...schedules] };
}

function mayComeAfter(settings: StoreSettings, { handled, seenAt }: OrderMemory, hook: Hook, wanted: readonly OrderMessageKind[]): boolean {
  const isMissing = (kind: OrderMessageKind): boolean =>
    settings.templates[kind].enabled && handled[kind] === undefined && !wanted.includes(kind);
  return hook.arrivedAt - seenAt < NEW_MS && (isMissing('order_created') || isMissing('order_paid'));
}

function detailOf({ isSuspended }: StoreSettings, isImproved: boolean, onlyWaits: boolean): string | null {
  if (isSuspended) return 'waits until the account is no longer suspended';
  if (isImproved) return 'with its tracking number';
  return onlyWaits ? 'waits two minutes for a tracking number' : null;
}

function textsOf(settings: StoreSettings, purchase: Purchase): readonly { readonly kind: OrderMessageKind; readonly text: string }[] {
  const values = valuesOf(settings, purchase);
  const texts = purchase.wanted.map((kind) => ({ kind, text: renderTemplate(settings.templates[kind].text, values) }));
  return texts.filter(({ text }) => text !== '');
}

/** Returns the time of the first message, which stays the same if a webhook is handled again. */
function firstDue({ handled }: OrderMemory, hook: Hook): number {
  const due = [handled.order_created, handled.order_paid].flatMap((one) =>
    one?.dueAt !== undefined && one.hookId !== hook.id ? [one.dueAt + APART_MS] : [],
  );
  return Math.max(hook.arrivedAt, ...due);
}

/** Also marks disabled, late and empty messages as handled, so that they are not sent later. */
function withHandled(
  memory: OrderMemory,
  kinds: readonly OrderMessageKind[],
  hook: Hook,
  hasTracking: boolean,
  dueAt = hook.arrivedAt,
): OrderMemory {
  const handled = Object.fromEntries(kinds.map((kind) => [kind, { hookId: hook.id, at: hook.arrivedAt, hasTracking, dueAt }]));
  return { ...memory, handled: { ...memory.handled, ...handled } };
}

function memoryOf(known: Known, hook: Hook, { orderId, ref, phone, name }: Purchase): OrderMemory {
  const before = known.order ?? newMemory({ id: orderId, ref, name }, hook);
  return { ...before, ref: ref ?? before.ref, phone: phone ?? before.phone, name: name ?? before.name };
}

const newMemory = (
  { id, ref, name }: { readonly id: string; readonly ref: string | null; readonly name: string | null },
  hook: Hook,
): OrderMemory => ({
  orderId: id,
  ref,
  phone: null,
  name,
  seenAt: hook.arrivedAt,
  handled: {},
  shipmentWaitsUntil: null,
  cancelledAt: null,
});

function valuesOf({ name: store }: StoreSettings, { name, ref, total, items, status, tracking }: Purchase): TemplateValues {
  const plain = (text: string | null): string | null => (text === null ? null : plainText(text));
  return {
    ...NO_VALUES,
    name: plain(name),
    order: plain(ref),
    total: total && priceText(total),
    items: itemsText(items),
    status: plain(status),
    courier: plain(tracking?.courier ?? null),
    tracking_number: plain(tracking?.number ?? null),
    tracking_url: tracking?.url ?? null,
    store: plain(store),
  };
}
