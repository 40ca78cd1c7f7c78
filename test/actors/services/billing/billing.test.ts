import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { checkout, resume } from '../../../../actors/services/billing/billing.ts';
import { withPage } from '../../../../actors/services/billing/payment-page.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { anEngine } from '../../../support/billing/engine.ts';
import { eachStore } from '../../../support/stores.ts';

eachStore('a scheduled plan change', (kind) => {
  it('stays scheduled for the end of the paid period, even if a larger plan is paid for at the same moment', async (t) => {
    const [store, clock] = [await kind.fresh(t), new VirtualClock(Date.UTC(2026, 0, 10))];
    const engine = anEngine(store, { clock, plans: plansFrom({}) });
    await store.prepare();
    const { invoice } = await engine.buy('t', 'pro');
    const dearer = invoice?._id ?? '';
    await withPage(engine.deps, 't', dearer);
    await engine.pages.press(dearer, 'paid');
    // The account was read before, and the invoice is not made yet.
    const countCheckout = async (): Promise<void> => void (await engine.confirm.confirm({ _id: dearer, tenant_id: 't' }));
    const order = { plan: 'starter', provider: 'sandbox', currency: undefined, isPreview: false } as const;
    assert.equal((await checkout({ ...engine.deps, countCheckout }, 't', order)).invoice, null);
    const { plan, pending_plan, credit } = (await engine.ledger.load('t')).account;
    assert.deepEqual({ plan, pending_plan, credit }, { plan: 'pro', pending_plan: 'starter', credit: { IDR: 0, USD: 0 } });
  });

  it('gives credit for unused days in the currency that the former plan was paid in', async (t) => {
    const [store, clock] = [await kind.fresh(t), new VirtualClock(Date.UTC(2026, 0, 10))];
    const engine = anEngine(store, { clock, plans: plansFrom({}) });
    await store.prepare();
    const account = async () => (await engine.ledger.load('t')).account;
    const bought = async (plan: string, currency: 'IDR' | 'USD') => {
      const invoice = (await engine.buy('t', plan, currency)).invoice ?? assert.fail();
      await engine.pages.press(invoice._id, 'paid');
      await engine.confirm.confirm(invoice);
      return invoice;
    };
    await bought('pro', 'IDR');
    clock.jump(86_400_000);
    const dearer = await bought('business', 'USD');
    const { plan, funding, credit } = await account();
    assert.deepEqual(
      [plan, funding.length, dearer.amount, credit],
      ['business', 1, 11_900, { IDR: Math.round((499_000 * 30) / 31), USD: 0 }],
    );
    const next = await bought('business', 'IDR');
    assert.deepEqual([next.amount, (await account()).credit], [1_999_000 - credit.IDR, { IDR: 0, USD: 0 }]);
  });

  it('stays cancelled if the owner cancels it and then pays the invoice that was issued for it', async (t) => {
    const [store, clock] = [await kind.fresh(t), new VirtualClock(Date.UTC(2026, 0, 10))];
    const engine = anEngine(store, { clock, plans: plansFrom({}) });
    await store.prepare();
    const account = async () => (await engine.ledger.load('t')).account;
    const { invoice } = await engine.buy('t', 'business');
    await engine.pages.press(invoice?._id ?? '', 'paid');
    await engine.confirm.confirm(invoice ?? assert.fail());
    await engine.buy('t', 'pro');
    clock.jump(25 * 86_400_000);
    await engine.bill('t');
    const reminder = (await account()).open?.invoice ?? '';
    await withPage(engine.deps, 't', reminder);
    await resume(engine.deps, 't');
    await engine.pages.press(reminder, 'paid');
    await engine.confirm.confirm({ _id: reminder, tenant_id: 't' });
    const { plan, funding, credit } = await account();
    assert.deepEqual([plan, funding.map((part) => part.invoice), credit.IDR], ['business', [invoice?._id], 499_000]);
  });
});
