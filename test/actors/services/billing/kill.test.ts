import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import type { Draft } from '../../../../actors/services/events/types.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import type { Store } from '../../../../store/port.ts';
import { anEngine, type Engine } from '../../../support/billing/engine.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';

const PLANS = plansFrom({});
const MINUTE = 60_000;
const MAX_WRITES = 60;

/** What reached the world outside, by keys of which each counts once. */
interface Outside {
  readonly texts: string[];
  readonly events: Set<string>;
  readonly plans: string[];
}

interface Life {
  readonly tenant: string;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly outside: Outside;
  over(store: Store): Engine;
}

function aLife(store: Store, tenant: string): Life {
  const clock = new VirtualClock(Date.UTC(2026, 0, 10));
  const outside: Outside = { texts: [], events: new Set(), plans: [] };
  const over = (seen: Store): Engine =>
    anEngine(seen, {
      clock,
      plans: PLANS,
      sendText: async (_to, text, key) => void outside.texts.push(`${key} ${text}`),
      record: async (_tenant, drafts: readonly Draft[]) => {
        for (const { type, row } of drafts) outside.events.add(`${type} ${row}`);
      },
      applyPlan: async (_tenant, plan) => void outside.plans.push(plan),
    });
  return { tenant, store, clock, outside, over };
}

/** A payment from the first press to the receipt. What dies is not retried here. */
async function paidOnce(engine: Engine, tenant: string): Promise<void> {
  const { invoice } = await engine.buy(tenant, 'pro');
  assert.ok(invoice);
  await engine.pages.press(invoice._id, 'paid');
  await engine.confirm.confirm(invoice);
  await engine.bill(tenant);
}

/** What the next process does by itself, and what the owner does who saw an error: the same checkout, the same page. */
async function comeBack({ tenant, store, clock, over }: Life): Promise<Engine> {
  const engine = over(store);
  // A page that the dead process was about to make is nobody's after a while.
  clock.jump(MINUTE / 2);
  await engine.bill(tenant);
  const { account } = await engine.ledger.load(tenant);
  if (account.plan !== 'pro') {
    const known = account.open && (await engine.pages.find(account.open.invoice));
    if (known?.status !== 'paid') {
      const { invoice } = await engine.buy(tenant, 'pro');
      assert.ok(invoice);
      await engine.pages.press(invoice._id, 'paid');
    }
  }
  // No hook and nobody who looks: the poller finds what was paid.
  for (let minute = 0; minute < 10; minute += 1) {
    clock.jump(MINUTE);
    await engine.bill(tenant);
    const { account: now } = await engine.ledger.load(tenant);
    if (now.plan === 'pro' && now.outbox.length === 0) break;
  }
  return engine;
}

async function expectOnePayment({ tenant, outside }: Life, engine: Engine, number: string, where: string): Promise<void> {
  const { account } = await engine.ledger.load(tenant);
  const invoices = await Array.fromAsync(engine.invoices.list(tenant, { limit: 100, before: null, beforeId: null }));
  const [invoice] = invoices;
  assert.deepEqual([account.plan, account.funding.length, account.outbox, account.credit], ['pro', 1, [], { IDR: 0, USD: 0 }], where);
  assert.deepEqual([invoices.length, invoice?.status, invoice?.payments.length], [1, 'paid', 1], where);
  assert.equal(invoice?.number, number, `${where}: numbers have no gaps`);
  assert.deepEqual(new Set(outside.plans), new Set(['pro']), where);
  assert.deepEqual(
    [...outside.events].toSorted(),
    [`invoice.paid ${invoice?._id}`, `plan.changed ${tenant}:${revOf(outside)}`].toSorted(),
    where,
  );
  assert.equal(new Set(outside.texts).size, 1, `${where}: one receipt, under one key`);
  assert.ok(outside.texts[0]?.includes(number), where);
}

const revOf = ({ events }: Outside): string =>
  [...events]
    .find((event) => event.startsWith('plan.changed'))
    ?.split(':')
    .at(-1) ?? '';

eachStore('a payment', (kind) => {
  for (const isMade of [false, true])
    it(`is neither lost nor applied twice after a crash ${isMade ? 'after' : 'before'} any write`, async (t) => {
      const store = await kind.fresh(t);
      aLife(store, 'first').over(store);
      await store.prepare();
      let deaths = 0;
      for (let write = 1; write <= MAX_WRITES; write += 1) {
        const life = aLife(store, `t${write}`);
        const mortal = mortalStore(store, { write, isMade });
        await paidOnce(life.over(mortal.store), life.tenant).catch(() => undefined);
        deaths += mortal.isDead() ? 1 : 0;
        const number = `INV-2026-${String(write).padStart(6, '0')}`;
        await expectOnePayment(life, await comeBack(life), number, `at write ${write}`);
        if (!mortal.isDead()) break;
      }
      assert.ok(deaths >= 10 && deaths < MAX_WRITES, `${deaths} deaths`);
    });
});
