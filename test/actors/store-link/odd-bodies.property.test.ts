import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resolvedFact } from '../../../actors/store-link/behaviour/read-hook.ts';
import type { ResolvedFact } from '../../../actors/store-link/protocol.ts';
import type { Platform } from '../../../store/store-links/links.ts';
import { checkoutRecord, orderRecord, parcelRecord, shopifyBody } from '../../support/online-stores/shopify-shapes.ts';
import { wooRecord } from '../../support/online-stores/woocommerce-shapes.ts';
import { SETTINGS, StoreBook } from './harness.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const buyer = { nth: 7, firstName: 'Sari', lastName: 'Dewi', country: 'ID', phone: '6281234567890', local: '0812-3456-7890' } as const;
const order = {
  id: 5_678_901_234_567_890_123n,
  name: '#1042',
  buyer,
  habits: { noAddress: 'there', phoneAt: 'order', isBare: false, isPresentment: true, isSilentParcel: false },
  checkout: { id: 371_122_000_000_000_111n, token: 'token', cart: 'cart' },
  createdAt: NOW - 1_000,
  updatedAt: NOW,
  financial: 'paid',
  gateway: 'bank',
  parcels: [{ nth: 1, number: 'CGK1', status: 'success', at: NOW }],
  cancelledAt: null,
} as const;
const checkout = { ...order.checkout, buyer, hasPhone: true, createdAt: NOW - 1_000, updatedAt: NOW, completedAt: null };
const habits = { tracking: 'list', shippedStatus: 'completed', hasOwnNumbers: true, phoneAt: 'billing' } as const;
const woo = {
  id: 7,
  buyer,
  habits,
  status: 'completed',
  method: 'bacs',
  createdAt: NOW - 1_000,
  modifiedAt: NOW,
  paidAt: NOW,
  trackingNumber: 'JT1',
} as const;

interface Shape {
  readonly platform: Platform;
  readonly topics: readonly string[];
  readonly record: object;
}

const SHAPES: readonly Shape[] = [
  {
    platform: 'platform_a',
    topics: ['orders/create', 'orders/paid', 'orders/fulfilled', 'orders/partially_fulfilled', 'orders/cancelled'],
    record: orderRecord(order),
  },
  { platform: 'platform_a', topics: ['fulfillments/create', 'fulfillments/update'], record: parcelRecord(order, order.parcels[0]) },
  { platform: 'platform_a', topics: ['checkouts/create', 'checkouts/update', 'checkouts/delete'], record: checkoutRecord(checkout) },
  { platform: 'platform_b', topics: ['order.created', 'order.updated'], record: wooRecord(woo) },
];

/** What stands where something else should, as JSON. */
const ODD: readonly string[] = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '-1',
  '1e400',
  '98765432109876543210',
  '"\\ud800"',
  '"\\u0000"',
  '[[{}],null,7]',
  '{"0":null,"__proto__":{}}',
  '"a:1:{i:0;s:1:\\"x\\";}"',
  `"${'x'.repeat(5_000)}"`,
];

/** Each place in a record, with what stands there replaced. */
function* mutated(record: object, odd: string): Generator<string> {
  const parsed: unknown = JSON.parse(shopifyBody(record));
  const places = (value: unknown, path: readonly string[]): readonly (readonly string[])[] =>
    value === null || typeof value !== 'object'
      ? [path]
      : [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
  for (const place of places(parsed, [])) yield replaced(parsed, place, odd);
}

function replaced(record: unknown, place: readonly string[], odd: string): string {
  const [key, ...rest] = place;
  if (key === undefined) return odd;
  const inner = Object.entries(record ?? {}).map(([name, value]) => [
    name,
    name === key ? replaced(value, rest, odd) : JSON.stringify(value),
  ]);
  const isList = Array.isArray(record);
  const parts = inner.map(([name, value]) => (isList ? value : `${JSON.stringify(name)}:${value}`));
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
}

/** Nothing that a store says makes a decision fail, or a message longer than a person would write. */
function handles(book: StoreBook, fact: ResolvedFact, body: string): void {
  const { outcome, detail } = book.receive(fact, NOW);
  assert.ok(outcome !== 'ignored' || detail, body);
  for (const { phone, text, at } of book.queue.values())
    assert.ok(/^\d{7,15}$/.test(phone) && text.length < 5_000 && Number.isFinite(at), body);
}

for (const { platform, topics, record } of SHAPES)
  it(`odd values in a ${topics[0]} webhook do not prevent the next order from being announced`, () => {
    let received = 0;
    for (const odd of ODD)
      for (const body of mutated(record, odd)) {
        const book = new StoreBook();
        book.settings = {
          ...SETTINGS,
          templates: { ...SETTINGS.templates, abandoned_checkout: { enabled: true, text: '{checkout_url} {items}' } },
        };
        for (const topic of topics) handles(book, resolvedFact(platform, topic, body, '62'), body);
        const next = {
          ...orderRecord({ ...order, id: 9n, parcels: [], financial: 'pending', buyer: { ...buyer, phone: '6281299999999' } }),
        };
        assert.equal(book.receive(resolvedFact('platform_a', 'orders/create', shopifyBody(next), '62'), NOW).outcome, 'sent', body);
        received += 1;
      }
    assert.ok(received > 300, `${received} bodies`);
  });
