import { opensAt } from '../../domain/zones.ts';
import type { CheckoutMemory, Decision, Hook, Known, Outcome, ResolvedFact, StoreAction, StoreSettings } from '../protocol.ts';
import type { CheckoutFact, OrderFact } from './facts.ts';
import { itemsText, NO_VALUES, NOTHING_TO_SAY, plainText, priceText, renderTemplate } from './message-text.ts';

/**
 * Decides which reminders of abandoned checkouts to send. Pure. For as long as late webhooks may
 * arrive, the checkout memory records which reminders were scheduled, sent or ended.
 */

const DAY_MS = 86_400_000;
const MAX_AGE_MS = 2 * DAY_MS;
const SILENCING: ReadonlySet<Outcome> = new Set(['not_marketing', 'off', 'ignored', 'opted_out']);

type CheckoutResolved = Extract<ResolvedFact, { type: 'checkout' }>;
type Reason = readonly [outcome: Outcome, detail: string | null];

/** Decides on at most one reminder per checkout, and per phone and day. None after an order. */
export function decideCheckout(settings: StoreSettings, known: Known, hook: Hook, { checkout, phone }: CheckoutResolved): Decision {
  const own = known.checkouts.find((one) => one.checkoutId === checkout.id || hasKeyOf(one, checkout.keys)) ?? null;
  const memory = memoryOf(own, checkout, phone, hook);
  if (checkout.isCompleted) return endCheckout(memory, own, hook, 'the checkout was completed');
  const over = whyOver(own, checkout, known, hook);
  if (over) return { ref: checkout.id, outcome: over[0], detail: over[1], actions: [] };
  const at = dueAt(settings, hook);
  const others = known.checkouts.filter(({ checkoutId }) => checkoutId !== memory.checkoutId);
  const isReminded = others.some((other) => isRemindedThen(other, memory.phone, at, hook));
  const silent = whySilent(settings, checkout, memory.phone, isReminded, known);
  if (silent) return keepSilent(memory, own, hook, silent);
  const text = reminderText(settings, checkout);
  if (text === '') return keepSilent(memory, own, hook, ['ignored', NOTHING_TO_SAY]);
  return remind(memory, text, at, hook);
}

function whyOver(own: CheckoutMemory | null, { createdAt }: CheckoutFact, { orderedAt }: Known, { id, arrivedAt }: Hook): Reason | null {
  if (own?.status === 'done') return ['ignored', 'the checkout is over'];
  if (own && wentOut(own, arrivedAt) && own.remindedBy !== id) return ['duplicate', 'its reminder was sent'];
  if (!own && createdAt !== null && arrivedAt - createdAt > MAX_AGE_MS) return ['ignored', 'the checkout is older than two days'];
  if (orderedAt !== null && Math.abs(arrivedAt - orderedAt) < DAY_MS) return ['ignored', 'this customer has placed an order'];
  return null;
}

/** Returns why no reminder is sent now, or null. A later webhook may still lead to a reminder. */
function whySilent(
  settings: StoreSettings,
  checkout: CheckoutFact,
  phone: string | null,
  isReminded: boolean,
  { hasOptedOut }: Known,
): Reason | null {
  if (!settings.templates.abandoned_checkout.enabled) return ['off', 'reminders are switched off'];
  if (phone === null) return ['no_phone', null];
  if (settings.onlyMarketing && !checkout.acceptsMarketing) return ['not_marketing', null];
  if (hasOptedOut) return ['opted_out', null];
  if (isReminded) return ['duplicate', 'this customer gets at most one reminder a day'];
  return settings.hasSession ? null : ['no_session', null];
}

function keepSilent(memory: CheckoutMemory, own: CheckoutMemory | null, hook: Hook, [outcome, detail]: Reason): Decision {
  const mustGo = SILENCING.has(outcome) && own !== null && isWaiting(own, hook.arrivedAt);
  const kept: StoreAction = remember(mustGo ? { ...memory, remindAt: null, remindedBy: null } : memory);
  const taken: readonly StoreAction[] = mustGo ? [{ do: 'cancel', kind: 'abandoned_checkout', of: memory.checkoutId }] : [];
  return { ref: memory.checkoutId, outcome, detail, actions: [...taken, kept] };
}

function reminderText({ name: store, templates }: StoreSettings, { name, total, items, url }: CheckoutFact): string {
  return renderTemplate(templates.abandoned_checkout.text, {
    ...NO_VALUES,
    name: name && plainText(name),
    total: total && priceText(total),
    items: itemsText(items),
    checkout_url: url,
    store: plainText(store),
  });
}

function remind(memory: CheckoutMemory, text: string, at: number, { id }: Hook): Decision {
  const isFirst = memory.remindedBy === null || memory.remindedBy === id;
  return {
    ref: memory.checkoutId,
    outcome: isFirst ? 'scheduled' : 'rescheduled',
    detail: null,
    actions: [
      remember({ ...memory, remindAt: at, remindedBy: memory.remindedBy ?? id }),
      { do: 'schedule', kind: 'abandoned_checkout', of: memory.checkoutId, phone: memory.phone ?? '', text, at },
    ],
  };
}

function dueAt({ abandonedDelayMs, reminderWindow: window }: StoreSettings, { arrivedAt }: Hook): number {
  const due = arrivedAt + abandonedDelayMs;
  return window ? opensAt(window.hours, window.zone, due) : due;
}

export function decideDeletion(known: Known, hook: Hook, checkoutId: string): Decision {
  const own = known.checkouts.find((one) => one.checkoutId === checkoutId || one.keys.includes(`id:${checkoutId}`)) ?? null;
  return endCheckout(own ?? newMemory(checkoutId, [`id:${checkoutId}`], null, hook), own, hook, 'the checkout was deleted');
}

/** Finds bought checkouts by key, or by phone if close to the order, whichever webhook arrives first. */
export function endBoughtCheckouts(
  known: Known,
  { checkoutKeys: keys, createdAt }: OrderFact,
  phone: string | null,
  hook: Hook,
): { readonly count: number; readonly actions: readonly StoreAction[] } {
  const orderedAt = createdAt ?? known.order?.seenAt ?? hook.arrivedAt;
  const met = known.checkouts.filter((one) => hasKeyOf(one, keys) || one.cancelledBy === hook.id || isOfBuyer(one, phone, orderedAt, hook));
  const waiting = met.filter((one) => isWaiting(one, hook.arrivedAt) || one.cancelledBy === hook.id);
  const others = met.filter((one) => !waiting.includes(one) && one.status !== 'done');
  const [first] = keys;
  const isNew = first !== undefined && !met.some((one) => hasKeyOf(one, keys));
  const early = isNew ? [remember({ ...newMemory(idOf(first), keys, phone, hook), status: 'done' })] : [];
  const ended = others.flatMap((one) => [remember({ ...one, status: 'done' }), ...recall(one)]);
  return { count: waiting.length, actions: [...early, ...ended, ...waiting.flatMap((one) => takeBack(one, keys, hook))] };
}

const takeBack = (one: CheckoutMemory, keys: readonly string[], hook: Hook): readonly StoreAction[] => [
  remember({ ...one, keys: [...new Set([...one.keys, ...(hasKeyOf(one, keys) ? keys : [])])], status: 'done', cancelledBy: hook.id }),
  { do: 'cancel', kind: 'abandoned_checkout', of: one.checkoutId },
  { do: 'record', ref: one.checkoutId, outcome: 'cancelled', detail: 'the customer has placed an order' },
];

function endCheckout(memory: CheckoutMemory, own: CheckoutMemory | null, hook: Hook, detail: string): Decision {
  const waited = own !== null && (isWaiting(own, hook.arrivedAt) || own.cancelledBy === hook.id);
  const done = remember({ ...memory, status: 'done', cancelledBy: waited ? hook.id : memory.cancelledBy });
  const taken = own === null ? [] : recall(own);
  return { ref: memory.checkoutId, outcome: waited ? 'cancelled' : 'ignored', detail, actions: [done, ...taken] };
}

function memoryOf(own: CheckoutMemory | null, { id, keys }: CheckoutFact, phone: string | null, hook: Hook): CheckoutMemory {
  if (own === null) return newMemory(id, keys, phone, hook);
  return { ...own, keys: [...new Set([...own.keys, ...keys])], phone: phone ?? own.phone };
}

const newMemory = (checkoutId: string, keys: readonly string[], phone: string | null, { arrivedAt }: Hook): CheckoutMemory => ({
  checkoutId,
  keys,
  phone,
  status: 'waiting',
  remindAt: null,
  remindedBy: null,
  cancelledBy: null,
  seenAt: arrivedAt,
});

/** A due reminder may still be waiting for the send window or the device, so cancel it, too. */
const recall = ({ checkoutId: of, remindAt }: CheckoutMemory): readonly StoreAction[] =>
  remindAt === null ? [] : [{ do: 'cancel', kind: 'abandoned_checkout', of }];

const remember = (memory: CheckoutMemory): StoreAction => ({ do: 'rememberCheckout', memory });

/** Returns the checkout's id. If the order does not contain it, its token is used instead. */
const idOf = (key: string): string => (key.startsWith('id:') ? key.slice('id:'.length) : key);

const hasKeyOf = (one: CheckoutMemory, keys: readonly string[]): boolean => one.keys.some((key) => keys.includes(key));

const isOfBuyer = (one: CheckoutMemory, phone: string | null, orderedAt: number, { arrivedAt }: Hook): boolean =>
  phone !== null &&
  one.phone === phone &&
  orderedAt - one.seenAt > -DAY_MS &&
  (isWaiting(one, arrivedAt) || orderedAt - one.seenAt < DAY_MS);

const isWaiting = ({ status, remindAt }: CheckoutMemory, now: number): boolean =>
  status === 'waiting' && remindAt !== null && remindAt > now;

const wentOut = ({ remindAt }: CheckoutMemory, now: number): boolean => remindAt !== null && remindAt <= now;

const isRemindedThen = (other: CheckoutMemory, phone: string | null, at: number, { arrivedAt }: Hook): boolean =>
  other.phone === phone &&
  other.remindAt !== null &&
  other.cancelledBy === null &&
  (other.remindAt > arrivedAt || at - other.remindAt < DAY_MS);
