import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statusOf } from '../../../../actors/domain/billing/account.ts';
import { overagePrice } from '../../../../actors/domain/billing/money.ts';
import { monthIn } from '../../../../actors/domain/billing/periods.ts';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { withPage } from '../../../../actors/services/billing/payment-page.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import type { Metered } from '../../../../store/billing/accounts.ts';
import { type MessageRow, messagesSpec } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { anEngine, type Engine } from '../../../support/billing/engine.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const QUOTA = 5;
const PLANS = plansFrom({ pro: { messages: QUOTA }, business: { messages: 2 * QUOTA } });
/** The first of March, at midnight in Jakarta. */
const MARCH = Date.UTC(2026, 1, 28, 17);

async function paid(engine: Engine, tenant: string, plan: string): Promise<void> {
  const { invoice } = await engine.buy(tenant, plan);
  assert.ok(invoice);
  await engine.pages.press(invoice._id, 'paid');
  await engine.confirm.confirm(invoice);
}

const NOTE = { kind: 'audit', key: 'k', action: 'plan.change', at: MARCH, target: 't', changes: [] } as const;

let nth = 0;

/** As the log has it after the network took it at `sent_at`. */
async function logged(store: Store, tenant_id: string, sent_at: number, over: Partial<MessageRow> = {}): Promise<void> {
  nth += 1;
  const row = {
    _id: `m${nth}`,
    tenant_id,
    created_at: sent_at,
    sent_at,
    status: 'sent',
    quota_month: monthIn('Asia/Jakarta', sent_at),
    ...over,
  } as const;
  await store.collection<MessageRow>(messagesSpec).insertOne(aMessageRow(row));
}

const overages = async ({ invoices }: Engine, tenant: string) =>
  (await Array.fromAsync(invoices.list(tenant, { limit: 100, before: null, beforeId: null })))
    .filter(({ kind }) => kind === 'overage')
    .map(({ month, lines, amount, held }) => ({ month, beyond: lines[0]?.quantity, price: amount + held }))
    .toReversed();

eachStore('overage', (kind) => {
  it('is billed at the end of the month, once for each message sent in that month', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(MARCH + 2 * DAY);
    const engine = anEngine(store, { clock, plans: PLANS });
    await paid(engine, 't', 'pro');
    for (let day = 0; day < 9; day += 1) await logged(store, 't', MARCH + day * DAY);
    await logged(store, 't', MARCH - 1);
    await logged(store, 't', MARCH + 31 * DAY);
    await logged(store, 't', MARCH + 31 * DAY - 1, { status: 'read' });
    await logged(store, 't', MARCH, { status: 'failed', error: 'refused' });
    await logged(store, 't', MARCH, { status: 'queued', sent_at: null });
    await logged(store, 't', MARCH, { quota_month: null });
    await logged(store, 'other', MARCH + DAY);
    clock.jump(MARCH + 31 * DAY + 2 * HOUR - 1 - clock.now());
    await engine.bill('t');
    assert.deepEqual(await overages(engine, 't'), []);
    clock.jump(1);
    for (const _ of [1, 2, 3]) await engine.bill('t');
    assert.deepEqual(await overages(engine, 't'), [{ month: '2026-03', beyond: 5, price: overagePrice(5, 15_000) }]);
    const { account } = await engine.ledger.load('t');
    assert.deepEqual([account.owing.length, account.metered?.month, account.metered?.sent], [1, '2026-04', 0]);
  });

  it('is billed in full even if messages are deleted from the log after three days', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(MARCH);
    const engine = anEngine(store, { clock, plans: PLANS });
    await paid(engine, 't', 'pro');
    for (let day = 0; day <= 31; day += 1) {
      if (day < 31) for (let count = 0; count < 2; count += 1) await logged(store, 't', MARCH + day * DAY + count * 20 * HOUR);
      clock.jump(MARCH + day * DAY + 3 * HOUR - clock.now());
      await engine.bill('t');
      await store.collection<MessageRow>(messagesSpec).deleteMany({ created_at: { $lt: clock.now() - 3 * DAY } });
    }
    assert.deepEqual(await overages(engine, 't'), [{ month: '2026-03', beyond: 62 - QUOTA, price: overagePrice(62 - QUOTA, 15_000) }]);
  });

  it('is billed in full for an account that was stored by an earlier version', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(MARCH);
    const engine = anEngine(store, { clock, plans: PLANS });
    await paid(engine, 't', 'pro');
    for (let day = 0; day < 9; day += 1) await logged(store, 't', MARCH + day * DAY);
    const account = (await engine.accounts.find('t'))!;
    const { month = '', plan = '' } = account.metered ?? {};
    assert.ok(await engine.accounts.save({ ...account, rev: account.rev + 1, metered: { month, plan } as Metered, outbox: [NOTE] }));
    await engine.bill('t');
    assert.deepEqual((await engine.accounts.find('t'))?.outbox, []);
    clock.jump(31 * DAY + 2 * HOUR);
    await engine.bill('t');
    assert.deepEqual(await overages(engine, 't'), [{ month: '2026-03', beyond: 9 - QUOTA, price: overagePrice(9 - QUOTA, 15_000) }]);
    assert.ok(Number.isSafeInteger((await engine.accounts.find('t'))?.due_at));
  });

  it('makes the account past due if it is unpaid after 30 days, until it is paid', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(MARCH);
    const engine = anEngine(store, { clock, plans: plansFrom({ pro: { messages: QUOTA, overage: { IDR: 500_000, USD: 100 } } }) });
    await paid(engine, 't', 'pro');
    for (let day = 0; day < 7; day += 1) await logged(store, 't', MARCH + day * DAY);
    // The plan itself is paid ahead.
    await paid(engine, 't', 'pro');
    await paid(engine, 't', 'pro');
    clock.jump(31 * DAY + 2 * HOUR);
    await engine.bill('t');
    const { account } = await engine.ledger.load('t');
    const [owing] = account.owing;
    assert.ok(owing);
    assert.equal(statusOf(account), 'active');
    await withPage(engine.deps, 't', owing.invoice);
    clock.jump(owing.expires_at - clock.now());
    await engine.bill('t');
    const late = (await engine.ledger.load('t')).account;
    assert.deepEqual([statusOf(late), late.plan, late.overdue], ['past_due', 'pro', [owing.invoice]]);
    await engine.pages.press(owing.invoice, 'paid');
    await engine.confirm.confirm({ _id: owing.invoice, tenant_id: 't' });
    const settled = (await engine.ledger.load('t')).account;
    assert.deepEqual([statusOf(settled), settled.overdue, settled.owing], ['active', [], []]);
    assert.equal((await engine.invoices.find('t', owing.invoice))?.status, 'paid');
  });

  it("leaves the account active if the amount is below every provider's minimum", async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(MARCH);
    const engine = anEngine(store, { clock, plans: PLANS });
    await paid(engine, 't', 'pro');
    for (let day = 0; day < 7; day += 1) await logged(store, 't', MARCH + day * DAY);
    for (const _ of ['April', 'May']) await paid(engine, 't', 'pro');
    clock.jump(31 * DAY + 2 * HOUR);
    await engine.bill('t');
    const { account } = await engine.ledger.load('t');
    assert.deepEqual(await overages(engine, 't'), [{ month: '2026-03', beyond: 2, price: 30 }]);
    clock.jump(30 * DAY);
    await engine.bill('t');
    assert.equal(statusOf((await engine.ledger.load('t')).account), 'active');
    assert.equal((await engine.invoices.find('t', account.owing[0]?.invoice ?? ''))?.status, 'expired');
  });

  it('is paid partly from credit if a provider accepts the remaining amount', async (t) => {
    const price = 600_000;
    for (const [credit, held] of [
      [300, 200],
      [1_200, 1_200],
      [5_000, 1_200],
    ] as const) {
      const store = await kind.fresh(t);
      const clock = new VirtualClock(MARCH);
      const engine = anEngine(store, { clock, plans: plansFrom({ pro: { messages: QUOTA, overage: { IDR: price, USD: 100 } } }) });
      await paid(engine, 't', 'pro');
      for (let day = 0; day < 7; day += 1) await logged(store, 't', MARCH + day * DAY);
      const account = (await engine.accounts.find('t'))!;
      assert.ok(await engine.accounts.save({ ...account, rev: account.rev + 1, credit: { IDR: credit, USD: 0 } }));
      clock.jump(31 * DAY + 2 * HOUR);
      await engine.bill('t');
      const [bill] = await Array.fromAsync(engine.invoices.list('t', { limit: 1, before: null, beforeId: null }));
      assert.deepEqual([bill?.kind, bill?.held, bill?.amount], ['overage', held, 1_200 - held]);
    }
  });

  it('is counted once if two nodes close the month at the same time', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(MARCH);
    const nodes = [anEngine(store, { clock, plans: PLANS }), anEngine(store, { clock, plans: PLANS })];
    await paid(nodes[0]!, 't', 'business');
    for (let count = 0; count < 14; count += 1) await logged(store, 't', MARCH + count * DAY);
    clock.jump(31 * DAY + 2 * HOUR);
    await Promise.all([...nodes, ...nodes].map((node) => node.bill('t')));
    assert.deepEqual(await overages(nodes[1]!, 't'), [{ month: '2026-03', beyond: 4, price: 40 }]);
  });
});
