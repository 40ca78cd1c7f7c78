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

/** What tenants of a year live in. */
export interface World {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly till: Till;
  readonly engine: Engine;
  /** When an invoice was refunded. */
  readonly refunds: Map<string, number>;
  /** By a process that may die over it, and is followed by another one. */
  live(work: (engine: Engine) => Promise<unknown>): Promise<void>;
}

/** False: nothing came of it that billing would see at once. */
type Act = (world: World, tenant: string) => Promise<boolean>;

const SOLD = ['starter', 'pro', 'business'];

/** What a tenant does on a day, and how likely. */
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

/** A plan, dearer or cheaper; most pay it at once. */
async function chooses(world: World, tenant: string): Promise<true> {
  const { random, live } = world;
  const plan = chosen(SOLD, random) ?? '';
  const currency: BillingCurrency = random() < 0.8 ? 'IDR' : 'USD';
  const isPaid = random() < 0.7;
  await live((engine) => engine.buy(tenant, plan, currency));
  if (isPaid) await paysWhatIsOpen(world, tenant);
  return true;
}

/** The invoice for a plan, or for overage. Of some payments nobody tells: the gateway asks. */
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

/** Late, a second time, or one that was replaced: its provider calls. */
async function paysAnyPage(world: World, tenant: string): Promise<boolean> {
  const page = chosen(world.till.pagesOf(tenant), world.random);
  if (page) await pays(world, page, true);
  return page !== undefined;
}

async function pays({ till, live, random }: World, page: TillPage, isTold: boolean): Promise<void> {
  till.pay(page);
  if (!isTold) return;
  const isReceived = live(({ confirm }) => confirm.confirm({ _id: page.invoice, tenant_id: page.tenant }));
  // Meanwhile somebody else of the business chooses a plan.
  if (random() < 0.2) await live((engine) => atAnyTime(random, () => engine.buy(page.tenant, chosen(SOLD, random) ?? '')));
  await isReceived;
}

/** Among the steps of what else is going on. */
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

/** The log has it; billing looks when the day is over. */
async function sends({ store, clock, random }: World, tenant_id: string): Promise<false> {
  const now = clock.now();
  const quota_month = new Date(now).toISOString().slice(0, 7);
  const rows = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
    aMessageRow({ _id: newId(now), tenant_id, created_at: now, quota_month, sent_at: now, status: 'sent' }),
  );
  await store.collection<MessageRow>(messagesSpec).insertMany(rows);
  return false;
}
