import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { givePlan, markRefunded } from '../../../../actors/services/billing/billing.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import type { InvoiceRow } from '../../../../store/billing/invoices.ts';
import { anEngine } from '../../../support/billing/engine.ts';
import { openTill } from '../../../support/billing/till.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const DAY = 86_400_000;
const GRACE = 3 * DAY;

/** A tenant who buys at a till that pays back when it is told to. */
async function aBuyer(scope: Scope, kind: StoreKind) {
  const [store, clock, till] = [await kind.fresh(scope), new VirtualClock(Date.UTC(2026, 0, 10)), openTill()];
  const engine = anEngine(store, { clock, plans: plansFrom({}), providers: [till.provider] });
  await store.prepare();
  const account = async () => (await engine.ledger.load('t')).account;
  return {
    clock,
    engine,
    account,
    async buy(plan: string): Promise<InvoiceRow> {
      const { invoice } = await engine.buy('t', plan);
      assert.ok(invoice);
      const page = till.pagesOf('t').find(({ ref }) => ref === invoice._id);
      assert.ok(page);
      till.pay(page);
      await engine.confirm.confirm(invoice);
      return invoice;
    },
    /** The provider pays it back, and calls. */
    async payBack({ _id, tenant_id }: InvoiceRow): Promise<void> {
      for (const payment of till.bankedOf('t')) if (payment.invoice === _id) payment.refunded = payment.amount;
      await engine.confirm.confirm({ _id, tenant_id });
    },
    status: async ({ _id }: InvoiceRow) => (await engine.invoices.find('t', _id))?.status,
    /** So much credit is there, from wherever. */
    async hasCredit(IDR: number): Promise<void> {
      const { rev, ...known } = await account();
      assert.ok(await engine.accounts.save({ ...known, rev: rev + 1, credit: { IDR, USD: 0 } }));
    },
    shown: async () => (({ plan, period, grace_until }) => ({ plan, period, grace_until }))(await account()),
  };
}

eachStore('a refund', (kind) => {
  it('ends the current month immediately, and starts the next prepaid month in full', async (t) => {
    const { clock, buy, payBack, account, shown } = await aBuyer(t, kind);
    const first = await buy('starter');
    await buy('starter');
    const [, second] = (await account()).funding;
    assert.ok(second);
    clock.jump(10 * DAY);
    await payBack(first);
    const now = clock.now();
    assert.deepEqual(await shown(), { plan: 'starter', period: { start: now, end: now + second.end - second.start }, grace_until: null });
    // From 17 February on, where nothing went back it would have been from 10 March on.
    await buy('starter');
    const third = (await account()).funding.at(-1);
    assert.equal((third?.end ?? 0) - (third?.start ?? 0), 28 * DAY);
  });

  it('leaves the next month unchanged if the refunded month is already over', async (t) => {
    const { clock, engine, buy, payBack, account, shown, status } = await aBuyer(t, kind);
    const [first] = [await buy('starter'), await buy('starter')];
    const [over, next] = (await account()).funding;
    assert.ok(over && next);
    clock.jump(over.end + 2 * DAY - clock.now());
    await payBack(first);
    assert.equal(await status(first), 'refunded');
    await engine.bill('t');
    assert.deepEqual(await shown(), { plan: 'starter', period: { start: next.start, end: next.end }, grace_until: null });
    // The same where the end was dealt with first.
    clock.jump(next.end + DAY - clock.now());
    await engine.bill('t');
    assert.deepEqual([(await shown()).plan, (await shown()).grace_until], ['starter', next.end + GRACE]);
  });

  it('leaves the grace period unchanged if the refunded month was the only one and is already over', async (t) => {
    const { clock, engine, buy, payBack, account, shown } = await aBuyer(t, kind);
    const only = await buy('starter');
    const { end } = (await account()).funding[0] ?? assert.fail();
    clock.jump(end + DAY - clock.now());
    await payBack(only);
    await engine.bill('t');
    assert.deepEqual([(await shown()).plan, (await shown()).grace_until], ['starter', end + GRACE]);
    clock.jump(2 * DAY);
    await engine.bill('t');
    assert.equal((await shown()).plan, 'free');
  });

  it("returns the credit and the old plan's unused days that helped to pay for an upgrade", async (t) => {
    const { clock, buy, payBack, hasCredit, account, shown } = await aBuyer(t, kind);
    await buy('pro');
    await hasCredit(100_000);
    clock.jump(DAY);
    const dearer = await buy('business');
    const { unused, held } = dearer;
    assert.deepEqual([unused, held, (await account()).credit.IDR], [Math.round((499_000 * 30) / 31), 100_000, 0]);
    clock.jump(DAY);
    await payBack(dearer);
    assert.deepEqual([(await shown()).plan, (await account()).credit], ['free', { IDR: unused + held, USD: 0 }]);
  });

  for (const order of ['former plan first', 'upgrade first'])
    it(`leaves no credit if both an upgrade and the plan before it are refunded, ${order}`, async (t) => {
      const { clock, buy, payBack, account, shown } = await aBuyer(t, kind);
      const former = await buy('pro');
      clock.jump(DAY);
      const dearer = await buy('business');
      clock.jump(DAY);
      for (const invoice of order.startsWith('former') ? [former, dearer] : [dearer, former]) await payBack(invoice);
      assert.deepEqual([(await shown()).plan, (await account()).credit], ['free', { IDR: 0, USD: 0 }]);
    });

  /** Of three plans in a row the second was paid by days of the first, by credit, and by money. */
  async function aClimber(scope: Scope) {
    const buyer = await aBuyer(scope, kind);
    const first = await buyer.buy('starter');
    await buyer.hasCredit(200_000);
    buyer.clock.jump(DAY);
    const second = await buyer.buy('pro');
    buyer.clock.jump(DAY);
    const third = await buyer.buy('business');
    assert.deepEqual([second.held, (await buyer.account()).credit.IDR], [200_000, 0]);
    return { ...buyer, first, second, third };
  }

  it("takes back the credit for a replaced plan's unused days only if the days were paid for in money", async (t) => {
    const { hasCredit, payBack, account, second, third } = await aClimber(t);
    await hasCredit(400_000);
    await payBack(second);
    assert.equal((await account()).credit.IDR, 400_000 - (third.unused - second.unused - second.held));
  });

  it("returns the credit that was used for a replaced plan, minus the value of that plan's unused days", async (t) => {
    const { clock, buy, hasCredit, payBack, account } = await aBuyer(t, kind);
    await hasCredit(300_000);
    const former = await buy('pro');
    clock.jump(25 * DAY);
    const dearer = await buy('business');
    assert.ok(former.held === 300_000 && dearer.unused < 300_000);
    await payBack(former);
    assert.equal((await account()).credit.IDR, 300_000 - dearer.unused);
    await payBack(dearer);
    assert.equal((await account()).credit.IDR, 300_000);
  });

  for (const order of ['123', '132', '213', '231', '312', '321'])
    it(`leaves the credit as it was before if all of three successive plans are refunded (${order})`, async (t) => {
      const { payBack, account, shown, first, second, third } = await aClimber(t);
      for (const nth of order) await payBack([first, second, third][Number(nth) - 1] ?? assert.fail());
      assert.deepEqual([(await shown()).plan, (await account()).credit], ['free', { IDR: 200_000, USD: 0 }]);
    });

  it('removes the credit for the unused days of a plan that the operator replaced', async (t) => {
    const { clock, engine, buy, payBack, account, shown } = await aBuyer(t, kind);
    const bought = await buy('pro');
    clock.jump(DAY);
    await givePlan(engine.deps, 't', 'business');
    assert.equal((await account()).credit.IDR, Math.round((499_000 * 30) / 31));
    await payBack(bought);
    assert.deepEqual([(await shown()).plan, (await account()).credit], ['business', { IDR: 0, USD: 0 }]);
  });

  it('does not cancel a plan at the end of its period if a later invoice extended it', async (t) => {
    const { clock, engine, buy, account } = await aBuyer(t, kind);
    const first = await buy('starter');
    const second = await buy('starter');
    const { end } = (await account()).funding[0] ?? assert.fail();
    clock.jump(end + DAY - clock.now());
    await engine.bill('t');
    await markRefunded(engine.deps, first, 'period_end');
    assert.equal((await account()).cancel_at_period_end, false);
    await markRefunded(engine.deps, second, 'period_end');
    assert.deepEqual([(await account()).plan, (await account()).cancel_at_period_end], ['starter', true]);
    await assert.rejects(markRefunded(engine.deps, second, 'now'), { code: 'CONFLICT' });
  });
});
