import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resolvedFact } from '../../../actors/store-link/behaviour/read-hook.ts';
import { type Random, seededRandom } from '../../../runtime/random.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import type { Platform } from '../../../store/store-links/links.ts';
import { aBuyer } from '../../support/online-stores/buyers.ts';
import { Ledger, TEMPLATES } from '../../support/online-stores/ledger.ts';
import { shopifyLife, type TellsShopify, type TellsWoo, wooLife } from '../../support/online-stores/lives.ts';
import { type Delivery, lateness } from '../../support/online-stores/platform.ts';
import { checkoutRecord, orderRecord, shopifyBody } from '../../support/online-stores/shopify-shapes.ts';
import { type Guard, type Queued, SETTINGS, StoreBook } from './harness.ts';

const CUSTOMERS = 1_000;
const FEWER = 200;
const APART_MS = 3_600;
const HOUR = 3_600_000;
const DOUBLED = 0.3;
/** So often the process dies in the middle of a webhook, which its successor handles again from its beginning. */
const DIES = 0.2;

interface Told {
  readonly wrong: readonly string[];
  readonly messages: number;
}

/** Customers of both platforms; every webhook comes late, some twice, and processes die between any two steps. */
async function told(without: Guard | null, customers: number): Promise<Told> {
  const clock = new VirtualClock(Date.UTC(2026, 10, 20), () => Promise.resolve());
  const random = seededRandom(3);
  const ledger = new Ledger();
  const books = [aBook(without), aBook(without)] as const;
  const [shopify, woo] = books;
  const stores: TellsShopify & TellsWoo = {
    tell: (topic, body) => arrives(clock, random, (sentAt) => take(shopify, 'platform_a', topic, body, sentAt)),
    changed: (topic, _id, bodyNow) => arrives(clock, random, (sentAt) => take(woo, 'platform_b', topic, bodyNow(), sentAt)),
  };

  function take(book: StoreBook, platform: Platform, topic: string, body: string, sentAt: number): void {
    const fact = resolvedFact(platform, topic, body, '62');
    const now = clock.now();
    const id = `hook at ${now} ${random()}`;
    if (random() < DIES) book.receive(fact, now, { id, upTo: Math.floor(random() * 4) });
    book.receive(fact, now, { id });
    const delivery = { topic, body, isAccepted: true, sentAt, endedAt: now };
    if (platform === 'platform_a') ledger.shopify(delivery);
    else ledger.woo(delivery);
  }

  for (let nth = 1; nth <= customers; nth += 1) {
    const life = { clock, random, nth };
    clock.after(nth * APART_MS, () => void (nth % 2 ? shopifyLife(life, stores) : wooLife(life, stores)));
  }
  await clock.advance(customers * APART_MS + 3 * HOUR);
  const shown = books.flatMap(({ queue }) => [...queue.values()]);
  return { wrong: ledger.wrong(shown), messages: shown.length };
}

function aBook(without: Guard | null): StoreBook {
  const book = new StoreBook();
  book.without = without;
  book.settings = { ...SETTINGS, templates: TEMPLATES, abandonedDelayMs: 15 * 60_000 };
  return book;
}

function arrives(clock: VirtualClock, random: Random, run: (sentAt: number) => void): void {
  for (let copies = random() < DOUBLED ? 2 : 1; copies > 0; copies -= 1) clock.after(lateness(random), () => run(clock.now()));
}

it('a store link sends 1,000 customers each correct message once, and no reminder after a purchase', async () => {
  const { wrong, messages } = await told(null, CUSTOMERS);
  assert.deepEqual(wrong, []);
  assert.ok(messages > 2 * CUSTOMERS, `${messages} messages`);
});

type Webhook = Pick<Delivery, 'topic' | 'body'>;
const NTH = 971;
const CHECKOUT_ID = 9_100_000_000_000_000n + BigInt(NTH) * 10n;

/** Of one customer. */
function checkoutAndBareOrder(now: number): readonly [checkout: Webhook, order: Webhook] {
  const buyer = aBuyer(NTH, seededRandom(3));
  const times = { createdAt: now, updatedAt: now };
  const ids = { id: CHECKOUT_ID, token: `token${NTH}`, cart: `cart${NTH}` };
  const habits = { noAddress: 'null', phoneAt: 'order', isBare: true, isPresentment: false, isSilentParcel: false } as const;
  const money = { financial: 'pending', gateway: 'Cash on Delivery (COD)' } as const;
  const sold = { id: 9_500_000_000_009_710n, name: `#S${NTH}`, buyer, habits, checkout: null, parcels: [], cancelledAt: null };
  return [
    { topic: 'checkouts/create', body: shopifyBody(checkoutRecord({ ...ids, ...times, buyer, hasPhone: true, completedAt: null })) },
    { topic: 'orders/create', body: shopifyBody(orderRecord({ ...sold, ...times, ...money })) },
  ];
}

function handled(webhooks: readonly Webhook[], now: number): { readonly ledger: Ledger; readonly shown: readonly Queued[] } {
  const book = aBook(null);
  const ledger = new Ledger();
  for (const [nth, { topic, body }] of webhooks.entries()) {
    const at = now + nth * 1_000;
    book.receive(resolvedFact('platform_a', topic, body, '62'), at);
    ledger.shopify({ topic, body, isAccepted: true, sentAt: at, endedAt: at });
  }
  return { ledger, shown: [...book.queue.values()] };
}

it('a purchase that names no checkout prevents the reminder, even if it arrives before the checkout', () => {
  const now = Date.UTC(2026, 10, 20);
  const [checkout, order] = checkoutAndBareOrder(now);
  const reminder = { text: `reminder https://toko.example/checkouts/ac/${CHECKOUT_ID}/recover`, at: now + HOUR };
  for (const webhooks of [
    [order, checkout],
    [checkout, order],
  ]) {
    const { ledger, shown } = handled(webhooks, now);
    assert.deepEqual([shown.map(({ kind }) => kind), ledger.wrong(shown)], [['order_created'], []]);
    assert.deepEqual(ledger.wrong([...shown, reminder]), [`reminder ${NTH}: after the purchase`]);
  }
  const { ledger, shown } = handled([checkout], now);
  assert.deepEqual([shown.map(({ kind }) => kind), ledger.wrong(shown)], [['abandoned_checkout'], []]);
  assert.deepEqual(ledger.wrong([]), [`reminder ${NTH}: missing`]);
});

const HARMS: Readonly<Record<Guard, RegExp>> = {
  'order memory': /^shipped .*: missing/,
  'checkout memory': /after the purchase/,
  'one id per message': /times/,
  'match by phone': /after the purchase/,
  'cash on delivery': /^paid .*: never true/,
};

for (const [guard, harm] of Object.entries(HARMS))
  it(`store links send wrong messages without this guard: ${guard}`, async () => {
    const { wrong } = await told(guard as Guard, FEWER);
    assert.ok(
      wrong.some((sentence) => harm.test(sentence)),
      wrong.slice(0, 10).join('; ') || 'nothing went wrong',
    );
  });
