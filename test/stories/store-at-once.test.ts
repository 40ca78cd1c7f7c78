import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';
import { HOOKS_PER_MS, type StoreHookRow, storeHooksIn, storeHooksSpec } from '../../store/store-links/hooks.ts';
import { aShop, SHOPIFY_ORDER } from '../support/online-stores/shop.ts';
import { embedded, type StoreKind } from '../support/stores.ts';

const PAID = { ...SHOPIFY_ORDER, financial_status: 'paid' };
const MINUTE = 60_000;

/** The embedded store, and how each webhook was when it was stored. */
function watched(): { readonly kind: StoreKind; readonly stored: { readonly pending: boolean }[]; store(): Store } {
  const stored: { readonly pending: boolean }[] = [];
  const opened: Store[] = [];
  async function fresh(scope: Parameters<StoreKind['fresh']>[0]): Promise<Store> {
    const own = await embedded.fresh(scope);
    opened.push(own);
    const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
      const rows = own.collection<T>(spec);
      if (spec.name !== storeHooksSpec.name) return rows;
      const insertOne = (row: T) => {
        stored.push({ pending: 'pending' in row && row.pending === true });
        return rows.insertOne(row);
      };
      return new Proxy(rows, {
        get: (target, name) => {
          const member: unknown = name === 'insertOne' ? insertOne : Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    };
    const { name } = own;
    return {
      ...{ name, collection, together: (issue) => own.together?.(issue) ?? issue(), writesTo: (of) => own.writesTo?.(of) ?? 0 },
      ...{ prepare: () => own.prepare(), ping: () => own.ping(), sweep: (now) => own.sweep(now), close: () => own.close() },
    };
  }
  return { kind: { name: 'embedded', fresh }, stored, store: () => opened[0]! };
}

it('a webhook from an idle online store is stored once, together with its outcome', async (t) => {
  const { kind, stored } = watched();
  const shop = await aShop(t, kind);
  assert.equal((await shop.call('orders/create', SHOPIFY_ORDER)).body.outcome, 'sent');
  stored.length = 0;
  assert.equal((await shop.call('orders/paid', PAID)).body.outcome, 'sent');
  assert.equal((await shop.call('orders/paid', PAID)).body.outcome, 'duplicate');
  assert.deepEqual(stored, [{ pending: false }, { pending: false }]);
  assert.deepEqual(
    (await shop.events()).map(({ outcome }) => outcome),
    ['duplicate', 'sent', 'sent'],
  );
  // Its process dies with the answer on its way: the store says it again.
  const again = await shop.restarted();
  assert.equal((await again.call('orders/paid', PAID)).body.outcome, 'duplicate');
  await again.gateway.clock.advance(MINUTE);
  await again.gateway.until('both are shown', () => again.shown().length === 2);
});

it('an order webhook whose number is taken gets the next number, and its message is sent once', async (t) => {
  const { kind, store } = watched();
  const shop = await aShop(t, kind);
  await shop.call('orders/create', SHOPIFY_ORDER);
  const hooks = storeHooksIn(store());
  const [seen] = await hooks.list(shop.id, 1);
  const { _id, ...row }: StoreHookRow = seen!;
  await shop.gateway.clock.advance(MINUTE);
  await hooks.addHandled({ ...row, no: shop.gateway.clock.now() * HOOKS_PER_MS });
  assert.equal((await shop.call('orders/paid', PAID)).body.outcome, 'sent');
  assert.equal((await shop.events()).length, 3);
  await shop.gateway.clock.advance(MINUTE);
  await shop.gateway.until('both are shown', () => shop.shown().length === 2);
});

it('a webhook is stored before it is processed if it has subscribers or reverts an earlier state', async (t) => {
  const { kind, stored } = watched();
  const shop = await aShop(t, kind);
  await shop.call('orders/create', SHOPIFY_ORDER);
  const listener = { url: 'https://example.com/in', events: ['store.event'], secret: 'a secret of at least thirty-two letters' };
  const { status, body } = await shop.tenant.api('POST', '/v1/webhooks', listener);
  assert.equal(status, 201, JSON.stringify(body));
  stored.length = 0;
  assert.equal((await shop.call('orders/paid', PAID)).body.outcome, 'sent');
  assert.deepEqual(stored, [{ pending: true }]);
});
