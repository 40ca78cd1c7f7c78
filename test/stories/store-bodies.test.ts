import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { resealSecrets } from '../../actors/services/credentials/sealed-secrets.ts';
import { healthOf } from '../../actors/services/stores/health.ts';
import { secretKeysOf } from '../../runtime/sealing/keys.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { type StoreHookRow, storeHooksIn } from '../../store/store-links/hooks.ts';
import type { StoreLinkRow } from '../../store/store-links/links.ts';
import { storeLinksIn } from '../../store/store-links/links.ts';
import { storeSecretRewritesIn } from '../../store/store-links/secret-rewrites.ts';
import { aGateway } from '../support/gateway.ts';
import { aShop, SHOPIFY_ORDER, WOO_ORDER } from '../support/online-stores/shop.ts';
import { eachStore, embedded } from '../support/stores.ts';

const LONG = 'x'.repeat(300_000);
const DAY = 86_400_000;
const well = { recent: [], hasDevice: true, hasAddress: true };

/** None of these says anything that a customer could be told. */
const NOTHING: readonly string[] = [
  '',
  'not json',
  '{"id":1',
  '[]',
  'null',
  '17',
  '"text"',
  '{}',
  '{"id":{}}',
  '{"id":[]}',
  '{"id":true}',
  '{"id":"a\\u0000b"}',
  `{"id":"${LONG}"}`,
  '['.repeat(100_000),
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  '{"__proto__":{"id":1}}',
  '{"id":820982911946154508,"name":"#9999","phone":"+6281234567890"}',
];

/** An order each, however odd the rest is. */
const ODD: readonly object[] = [
  { customer: [], shipping_address: [], billing_address: null, line_items: {}, fulfillments: {} },
  { customer: 'Sari', shipping_address: 'there', line_items: 'Kaos', fulfillments: 'none', total_price: {}, currency: [] },
  { line_items: [null, 1, 'x', [], { name: {}, quantity: 'many' }, { name: LONG, quantity: -3 }, { name: '\ud800', quantity: 1e99 }] },
  { name: LONG, financial_status: LONG, total_price: 'NaN', currency: 'NOPE' },
  { created_at: 'yesterday', updated_at: {}, cancelled_at: null },
];

eachStore('an abnormal webhook body', (kind) => {
  it('is ignored with a reason, and the next order is processed normally', async (t) => {
    for (const platform of ['platform_a', 'platform_b'] as const) {
      const { call, events } = await aShop(t, kind, platform);
      const [topic, order] = platform === 'platform_a' ? ['orders/create', SHOPIFY_ORDER] : ['order.created', WOO_ORDER];
      for (const body of NOTHING) {
        const { status, body: answer } = await call(topic, body);
        assert.deepEqual([status, answer], [200, { ok: true, outcome: 'ignored' }], body.slice(0, 40));
      }
      assert.ok((await events()).every(({ detail }) => detail));
      assert.equal((await call(topic, order)).body.outcome, 'sent');
    }
  });

  it('triggers a message of limited length if it contains an order', async (t) => {
    const { call, shown, gateway } = await aShop(t, kind);
    for (const [nth, odd] of ODD.entries())
      assert.equal((await call('orders/create', { ...SHOPIFY_ORDER, id: `12345678901234567${nth}`, ...odd })).body.outcome, 'sent');
    await gateway.until('each is announced', () => shown().length === ODD.length);
    assert.ok(shown().every((line) => line.length < 2_000));
  });

  it('is rejected without side effects if it is too large', async (t) => {
    const { call } = await aShop(t, kind);
    const { status, body } = await call('orders/create', `{"note":"${'x'.repeat(2_200_000)}"}`);
    assert.deepEqual([status, body.code], [413, 'PAYLOAD_TOO_LARGE']);
    assert.equal((await call('orders/create', { ...SHOPIFY_ORDER, note: 'x'.repeat(1_900_000) })).body.outcome, 'sent');
  });

  it('can contain ids that differ only beyond floating-point precision', async (t) => {
    const { call } = await aShop(t, kind);
    const order = (id: string): string => JSON.stringify({ ...SHOPIFY_ORDER, id: 'ID' }).replace('"ID"', id);
    assert.equal((await call('orders/create', order('9007199254740993001'))).body.outcome, 'sent');
    assert.equal((await call('orders/create', order('9007199254740993002'))).body.outcome, 'sent');
    assert.equal((await call('orders/create', order('9007199254740993001'))).body.outcome, 'duplicate');
  });
});

eachStore("an online store's record", (kind) => {
  it('shows why its webhooks are rejected, until one of them is accepted', async (t) => {
    const { call, record } = await aShop(t, kind);
    await call('orders/create', SHOPIFY_ORDER, 'a wrong secret');
    const { last_error, health } = await record();
    assert.match(last_error, /signature|tanda tangan/);
    assert.deepEqual([health.state, health.reasons], ['failing', [last_error]]);
    await call('orders/create', SHOPIFY_ORDER);
    assert.deepEqual([(await record()).last_error, (await record()).health.state], [null, 'ok']);
  });

  it("shows that the store hides its customers' numbers", async (t) => {
    const { call, record, gateway } = await aShop(t, kind);
    for (let id = 1; id <= 20; id += 1) {
      assert.equal((await record()).last_error, null);
      await call('orders/create', { ...SHOPIFY_ORDER, id, phone: null });
      await gateway.clock.advance(1_000);
    }
    assert.match((await record()).last_error, /nomor|numbers/);
  });

  it('lists its last 50 events, and no event older than 30 days', async (t) => {
    const { call, events, gateway, id } = await aShop(t, kind);
    for (let nth = 1; nth <= 52; nth += 1) await call('customers/update', { nth });
    assert.equal((await events()).length, 50);
    gateway.clock.jump(31 * DAY);
    await gateway.store.sweep(gateway.clock.now());
    assert.deepEqual(await storeHooksIn(gateway.store).list(id, 50), []);
  });

  it('is re-encrypted with a new key', async (t) => {
    const { call, change, gateway, tenant, id } = await aShop(t, kind);
    await change({ secret: 'another-signing-secret-0002' });
    await call('orders/create', SHOPIFY_ORDER);
    const links = storeLinksIn(gateway.store);
    const row = (await links.find(tenant.id, id))!;
    assert.doesNotMatch(JSON.stringify(row), /signing-secret/);
    const [oldKey, newKey] = ['a'.repeat(64), 'b'.repeat(64)];
    const before = createSealer(secretKeysOf(oldKey, [], ''));
    await links.change(tenant.id, id, {
      secret: before.seal(id, 'store secret', 'one'),
      former_secret: { secret: before.seal(id, 'store secret', 'two'), until: 1 },
    });
    await resealSecrets(storeSecretRewritesIn(gateway.store), createSealer(secretKeysOf(newKey, [oldKey], '')));
    const after = createSealer(secretKeysOf(newKey, [], ''));
    const { secret, former_secret } = (await links.find(tenant.id, id))!;
    assert.deepEqual([after.open(id, 'store secret', secret!), after.open(id, 'store secret', former_secret!.secret)], ['one', 'two']);
  });
});

it("an online store's webhook address is kept out of the log", async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const gateway = await aGateway(t, { kind: embedded, log });
  const { api } = await gateway.signUp();
  const { integration } = (await api('POST', '/v1/store-integrations', { platform: 'platform_b', name: 'Toko' })).body;
  const { pathname } = new URL(integration.webhook_url);
  for (const path of [pathname, `${pathname}?webhook_id=3`, `${pathname}x`]) await gateway.api('POST', path, '{}');
  assert.ok(lines.length > 0);
  assert.equal(lines.join('').includes(pathname.split('/').at(-1)!), false);
});

it('an online store that sends no webhooks after a busy week is reported with advice', () => {
  const link = { platform: 'platform_b', secret: 'x', last_error: null } as StoreLinkRow;
  const now = 100 * DAY;
  const recent = (age: number) => Array.from({ length: 50 }, (_, nth) => ({ created_at: now - age - nth * 3_600_000 }) as StoreHookRow);
  assert.equal(healthOf(link, { ...well, recent: recent(1_000) }, 'en', now).state, 'ok');
  const quiet = healthOf(link, { ...well, recent: recent(2 * DAY) }, 'en', now);
  assert.equal(quiet.state, 'quiet');
  assert.match(quiet.reasons.join(), /WooCommerce has probably disabled its webhook/);
  assert.equal(healthOf({ ...link, secret: null }, { recent: [], hasDevice: false, hasAddress: false }, 'en', now).reasons.length, 3);
});
