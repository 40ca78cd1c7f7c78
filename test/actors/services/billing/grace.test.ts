import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { withPage } from '../../../../actors/services/billing/payment-page.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { anEngine } from '../../../support/billing/engine.ts';
import { eachStore } from '../../../support/stores.ts';

const DAY = 86_400_000;

eachStore('the grace period', (kind) => {
  it('keeps the plan that was paid for, even if a larger one was scheduled', async (t) => {
    const [store, clock] = [await kind.fresh(t), new VirtualClock(Date.UTC(2026, 0, 10))];
    const engine = anEngine(store, { clock, plans: plansFrom({}) });
    await store.prepare();
    const account = async () => (await engine.ledger.load('t')).account;
    const paid = async (invoice: string) => {
      await withPage(engine.deps, 't', invoice);
      await engine.pages.press(invoice, 'paid');
      await engine.confirm.confirm({ _id: invoice, tenant_id: 't' });
    };
    const { invoice: first } = await engine.buy('t', 'business');
    await paid(first?._id ?? '');
    // A cheaper one from the end on, which is paid a week before.
    await engine.buy('t', 'starter');
    const end = (await account()).period?.end ?? 0;
    clock.jump(end - 6 * DAY - clock.now());
    await engine.bill('t');
    await paid((await account()).open?.invoice ?? '');
    // One between the two, for later: it is cheaper than what runs, and dearer than what comes.
    await engine.buy('t', 'pro');
    clock.jump(end - clock.now());
    await engine.bill('t');
    assert.deepEqual([(await account()).plan, (await account()).pending_plan], ['starter', 'pro']);
    const next = (await account()).period?.end ?? 0;
    clock.jump(next - 2 * DAY - clock.now());
    await engine.bill('t');
    clock.jump(next - clock.now());
    await engine.bill('t');
    const { plan, grace_until, open } = await account();
    assert.deepEqual([plan, grace_until], ['starter', next + 3 * DAY]);
    await paid(open?.invoice ?? '');
    const { plan: bought, period, pending_plan } = await account();
    assert.deepEqual([bought, period?.start, pending_plan], ['pro', next, null]);
  });
});
