import { decodeHTML } from 'entities';
import type { Item, OrderFact, StoreFact, Tracking, WrittenPhone } from './facts.ts';
import { at, idAt, type Json, listAt, quantityAt, shownAt, textAt, timeAt, urlAt } from './loose-json.ts';

/** Ignored statuses. The block checkout stores a draft while the customer types. */
const DRAFTS: readonly string[] = ['draft', 'auto-draft', 'checkout-draft', 'trash', 'new'];
const CANCELLED: readonly string[] = ['cancelled', 'refunded'];
/** `completed` is WooCommerce's own status. Tracking plugins add the other ones. */
const SHIPPED: readonly string[] = ['completed', 'shipped', 'partial-shipped'];
const TRACKING_KEY = '_wc_shipment_tracking_items';
/** Metadata keys of plugins that store only a tracking number. */
const NUMBER_KEYS: readonly string[] = ['_tracking_number', 'ywot_tracking_code'];

/** For both topics, the body holds the order's state at the time when WooCommerce sent the webhook. */
export function readWooCommerce(topic: string, body: Json): StoreFact {
  if (topic !== 'order.created' && topic !== 'order.updated')
    return { type: 'ignored', ref: null, detail: `the topic ${topic.slice(0, 60)} is not used` };
  const id = idAt(body, 'id');
  if (id === null) return { type: 'ignored', ref: null, detail: 'the order has no id' };
  const ref = shownAt(body, 'number') ?? id;
  const status = shownAt(body, 'status');
  if (status === null) return { type: 'ignored', ref, detail: 'the order has no status' };
  if (DRAFTS.includes(status)) return { type: 'ignored', ref, detail: `the order is a ${status}` };
  return { type: 'order', order: orderOf(body, id, ref, status) };
}

function orderOf(body: Json, id: string, ref: string, status: string): OrderFact {
  const amount = textAt(body, 'total');
  const currency = textAt(body, 'currency');
  return {
    id,
    ref,
    status,
    createdAt: timeAt(body, 'date_created_gmt') ?? timeAt(body, 'date_created'),
    phones: phonesOf(body),
    name: nameOf(body, 'billing') ?? nameOf(body, 'shipping'),
    total: amount === null || currency === null ? null : { amount, currency },
    items: listAt(body, 'line_items').flatMap(itemOf),
    updatedAt: timeAt(body, 'date_modified_gmt'),
    isPaid: isPaid(body, status),
    isCancelled: CANCELLED.includes(status),
    tracking: SHIPPED.includes(status) ? trackingOf(listAt(body, 'meta_data')) : null,
    checkoutKeys: [],
  };
}

/** Whether the order is paid. With cash on delivery, it becomes `processing` without a payment. */
function isPaid(body: Json, status: string): boolean {
  const isOnDelivery = textAt(body, 'payment_method') === 'cod';
  const hasDate = textAt(body, 'date_paid') !== null || textAt(body, 'date_paid_gmt') !== null;
  if (status === 'processing') return !(isOnDelivery && !hasDate);
  return SHIPPED.includes(status) && hasDate && !isOnDelivery;
}

function phonesOf(body: Json): readonly WrittenPhone[] {
  const home = textAt(body, 'billing.country');
  const phones = [
    [textAt(body, 'billing.phone'), home],
    [textAt(body, 'shipping.phone'), textAt(body, 'shipping.country') ?? home],
  ] as const;
  return phones.flatMap(([written, country]) => (written === null ? [] : { written, country }));
}

function nameOf(body: Json, address: string): string | null {
  const names = ['first_name', 'last_name'].map((part) => shownText(textAt(body, `${address}.${part}`)));
  const parts = names.filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' ');
}

function itemOf(line: Json): Item | readonly [] {
  const name = shownText(textAt(line, 'name'));
  const quantity = quantityAt(line, 'quantity');
  return name === null || quantity === 0 ? [] : { name, quantity };
}

const MAX_TEXT = 4_000;

function shownText(html: string | null): string | null {
  if (html === null) return null;
  const once = decodeHTML(html.slice(0, MAX_TEXT).replace(/<\/?[a-z][^<>]{0,300}>/gi, ''));
  const text = /&(?:amp|quot|nbsp|#\d{2,6});/.test(once) ? decodeHTML(once) : once;
  return text.replace(/\s+/g, ' ').trim() || null;
}

/** A predefined courier is stored only by its short name, without a URL. */
function trackingOf(meta: readonly Json[]): Tracking {
  const entry = meta.findLast((one) => textAt(one, 'key') === TRACKING_KEY) ?? null;
  const last = listAt(entry, 'value').at(-1) ?? null;
  const number = textAt(last, 'tracking_number') ?? bareNumber(meta);
  const courier = textAt(last, 'custom_tracking_provider') ?? textAt(last, 'tracking_provider');
  return { courier: shownText(courier), number, url: urlAt(last, 'custom_tracking_link') };
}

function bareNumber(meta: readonly Json[]): string | null {
  const entry = meta.findLast((one) => NUMBER_KEYS.includes(textAt(one, 'key') ?? ''));
  const value = entry === undefined ? null : at(entry, 'value');
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
