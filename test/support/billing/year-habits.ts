import { setImmediate as turn } from 'node:timers/promises';
import { cancel, resume } from '../../../actors/services/billing/billing.ts';
import { withPage } from '../../../actors/services/billing/payment-page.ts';
import { newId } from '../../../runtime/ids.ts';
import type { Random } from '../../../runtime/random.ts';
import type { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import type { BillingCurrency } from '../../../store/billing/invoices.ts';
import { type MessageRow, messagesSpec } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { aMessageRow } from '../message-row.ts';
import type { Engine } from './engine.ts';
import type { Till, TillPage } from './till.ts';

/** The world in which the tenants of a simulated year act. */
export interface World {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly till: Till;
  readonly engine: Engine;
  /** Refund time of each invoice. */
  readonly refunds: Map<string, number>;
  /** Runs `work` in a process that may die, and is then replaced by another. */
  live(work: (engine: Engine) => Promise<unknown>): Promise<void>;
}

/** Returns false if the act had no consequence that billing would see immediately. */
type Act = (world: World, tenant: string) => Promise<boolean>;

const SOLD = ['starter', 'pro', 'business'];

/** Daily acts of a tenant, with their probabilities. */
export const HABITS: readonly (readonly [chance: number, act: Act])[] = [
  [0.02, chooses],
  [0.3, paysWhatIsOpen],
  [0.01, paysAnyPage],
  [0.004, (world, tenant) => lives(world, ({ deps }) => cancel(deps, tenant))],
  [0.004, (world, tenant) => lives(world, ({ deps }) => resume(deps, tenant))],
  [0.004, hasMoneyBack],
  [0.15, sends],
];

const chosen = <T>(all: readonly T[], random: Random): T | undefined => all[Math.floor(random() * all.length)];

async function lives({ live }: World, work: (engine: Engine) => Promise<unknown>): Promise<true> {
  await live(work);
  return true;
}

/** Chooses a more or less expensive plan. Most tenants pay immediately. */
async function chooses(world: World, tenant: string): Promise<true> {
  const { random, live } = world;
  const plan = chosen(SOLD, random) ?? '';
  const currency: BillingCurrency = random() < 0.8 ? 'IDR' : 'USD';
  const isPaid = random() < 0.7;
  await live((engine) => engine.buy(tenant, plan, currency));
  if (isPaid) await paysWhatIsOpen(world, tenant);
  return true;
}

/**
 * Pays the open invoice, for a plan or for overage. The provider does not report some payments, so the gateway must
 * query them.
 */
async function paysWhatIsOpen(world: World, tenant: string): Promise<boolean> {
  const { engine, random, till, live } = world;
  const isTold = random() < 0.7;
  const account = await engine.accounts.find(tenant);
  const open = account?.open ?? account?.owing[0];
  if (!open) return false;
  await live(({ deps }) => withPage(deps, tenant, open.invoice));
  const page = till.pagesOf(tenant).findLast(({ invoice }) => invoice === open.invoice);
  if (page && till.bankedOf(tenant).every(({ ref }) => ref !== page.ref)) await pays(world, page, isTold);
  return true;
}

/** Pays any page: late, a second time, or after it was replaced. The provider reports the payment. */
async function paysAnyPage(world: World, tenant: string): Promise<boolean> {
  const page = chosen(world.till.pagesOf(tenant), world.random);
  if (page) await pays(world, page, true);
  return page !== undefined;
}

async function pays({ till, live, random }: World, page: TillPage, isTold: boolean): Promise<void> {
  till.pay(page);
  if (!isTold) return;
  const isReceived = live(({ confirm }) => confirm.confirm({ _id: page.invoice, tenant_id: page.tenant }));
  // Another member of the business chooses a plan at the same time.
  if (random() < 0.2) await live((engine) => atAnyTime(random, () => engine.buy(page.tenant, chosen(SOLD, random) ?? '')));
  await isReceived;
}

/** Runs `work` after a random number of event-loop ticks, so that it interleaves with other work. */
async function atAnyTime(random: Random, work: () => Promise<unknown>): Promise<void> {
  for (let turns = Math.floor(random() * 6); turns > 0; turns -= 1) await turn();
  await work();
}

async function hasMoneyBack({ engine, random, till, clock, refunds, live }: World, tenant: string): Promise<boolean> {
  const invoices = await Array.fromAsync(engine.invoices.list(tenant, { limit: 200, before: null, beforeId: null }));
  const paid = invoices.filter(({ status, amount }) => status === 'paid' && amount > 0);
  const invoice = chosen(paid, random);
  const settlement = invoice?.payments.find(({ became }) => became === 'settlement');
  const banked = till.bankedOf(tenant).find(({ id }) => id === settlement?.id);
  if (!invoice || !banked) return false;
  banked.refunded = banked.amount;
  refunds.set(invoice._id, clock.now());
  await live(({ confirm }) => confirm.confirm(invoice));
  return true;
}

/** Adds messages to the log only. Billing reads them at the end of the day. */
async function sends({ store, clock, random }: World, tenant_id: string): Promise<false> {
  const now = clock.now();
  const quota_month = new Date(now).toISOString().slice(0, 7);
  const rows = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
    aMessageRow({ _id: newId(now), tenant_id, created_at: now, quota_month, sent_at: now, status: 'sent' }),
  );
  await store.collection<MessageRow>(messagesSpec).insertMany(rows);
  return false;
}
