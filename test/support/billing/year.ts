import { plansFrom } from '../../../actors/domain/plans.ts';
import { cancel, resume } from '../../../actors/services/billing/billing.ts';
import { withPage } from '../../../actors/services/billing/payment-page.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { type Random, seededRandom } from '../../../runtime/random.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import type { BillingCurrency, InvoiceRow } from '../../../store/billing/invoices.ts';
import { type MessageRow, messagesSpec } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { aMessageRow } from '../message-row.ts';
import { mortalStore } from '../mortal-store.ts';
import { anEngine, type Engine } from './engine.ts';
import { openTill, type Till, type TillPage } from './till.ts';
import { faultsOfMoney, faultsOfNumbers, faultsOfOverage, faultsOfPlan, faultsOfUnusedDays, type Life } from './year-verdict.ts';

export interface YearRun {
  readonly store: Store;
  readonly tenants: number;
  readonly days: number;
  readonly seed: number;
  /** Of what the gateway does, the share (0 to 1) in which its process dies at a write. */
  readonly deaths: number;
  /** The control: payments have another name each time that their provider is asked. */
  readonly isForgetful?: true;
}

export interface YearVerdict {
  readonly invoices: number;
  readonly paid: number;
  readonly overages: number;
  readonly credits: number;
  readonly refunds: number;
  readonly deaths: number;
  /** What is not as it should be; the first of them. */
  readonly wrong: readonly string[];
}

const DAY = 86_400_000;
/** Three in the morning in Jakarta: the months that end are closed before anybody does anything. */
const START = Date.UTC(2026, 0, 1, 20);
const BACK_MS = 20_000;
const PLANS = plansFrom({ pro: { messages: 5 }, business: { messages: 10 } });
const SOLD = ['starter', 'pro', 'business'];
const MANY = 1_000_000;
const PAGE = 200;
const MAX_WRITES = 12;
const SHOWN = 20;
/** What nobody told is found when the gateway asks by itself: of an overage at the latest when it expires, after 30 days. */
const SETTLING_DAYS = 40;

/** What a tenant does on a day, and how likely. */
const HABITS: readonly (readonly [chance: number, act: (world: World, tenant: string) => Promise<unknown>])[] = [
  [0.02, chooses],
  [0.3, paysWhatIsOpen],
  [0.01, paysAnyPage],
  [0.004, async (world, tenant) => world.live(({ deps }) => cancel(deps, tenant))],
  [0.004, async (world, tenant) => world.live(({ deps }) => resume(deps, tenant))],
  [0.004, hasMoneyBack],
  [0.15, sends],
];

interface World {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly till: Till;
  readonly engine: Engine;
  readonly refunds: Map<string, number>;
  readonly sent: Map<string, number[]>;
  /** By a process that may die over it, and is followed by another one. */
  live(work: (engine: Engine) => Promise<unknown>): Promise<void>;
}

/** So many tenants buy, pay, pay late and twice, upgrade, downgrade, cancel and want money back at random, while processes die. */
export async function runYear(run: YearRun): Promise<YearVerdict> {
  const { store, days, seed } = run;
  const [clock, random, till] = [new VirtualClock(START), seededRandom(seed), openTill(run.isForgetful)];
  const applied = new Map<string, { rev: number; plan: string; at: number }[]>();
  const over = (seen: Store): Engine =>
    anEngine(seen, {
      clock,
      plans: PLANS,
      providers: [till.provider],
      async applyPlan(tenant, plan, rev) {
        const known = applied.get(tenant) ?? [];
        if (rev > (known.at(-1)?.rev ?? 0)) applied.set(tenant, [...known, { rev, plan, at: clock.now() }]);
      },
    });
  const engine = over(store);
  await store.prepare();
  let deaths = 0;
  const world: World = {
    ...{ store, clock, random, till, engine },
    refunds: new Map(),
    sent: new Map(),
    async live(work) {
      clock.jump(1);
      if (random() >= run.deaths) return void (await unlessRefused(work(engine)));
      const mortal = mortalStore(store, { write: 1 + Math.floor(random() * MAX_WRITES), isMade: random() < 0.5 });
      await unlessRefused(work(over(mortal.store))).catch((cause: unknown) => {
        if (!mortal.isDead()) throw cause;
      });
      if (!mortal.isDead()) return;
      deaths += 1;
      // A page that the dead process was about to make is nobody's after a while.
      clock.jump(BACK_MS);
      await unlessRefused(work(engine));
    },
  };
  const lives = livesOf(world, applied);
  const tenants = Array.from({ length: run.tenants }, (_, nth) => `t${nth}`);
  const wrong: string[] = [];
  for (let day = 1; day <= days + SETTLING_DAYS; day += 1) {
    clock.jump(START + day * DAY - clock.now());
    const busy = new Set(await due(world));
    if (day <= days) for (const tenant of tenants) if (await lived(world, tenant)) busy.add(tenant);
    for (const tenant of busy) {
      // Time passed since: what ended meanwhile is done before it is judged.
      await engine.bill(tenant);
      wrong.push(...faultsOfPlan(await lives(tenant), clock.now()));
    }
  }
  const all: InvoiceRow[] = [];
  for (const tenant of tenants) {
    const life = await lives(tenant);
    all.push(...life.invoices);
    wrong.push(
      ...faultsOfPlan(life, clock.now()),
      ...faultsOfMoney(life),
      ...faultsOfUnusedDays(life),
      ...faultsOfOverage(life, PLANS, monthsUpTo(clock.now())),
    );
    if (life.account.outbox.length > 0) wrong.push(`${tenant}: something is left to do`);
  }
  wrong.push(...faultsOfNumbers(all));
  return {
    invoices: all.length,
    paid: all.filter(({ paid_at }) => paid_at !== null).length,
    overages: all.filter(({ kind }) => kind === 'overage').length,
    credits: all.flatMap(({ payments }) => payments.filter(({ became }) => became === 'credit')).length,
    refunds: world.refunds.size,
    deaths,
    wrong: wrong.slice(0, SHOWN),
  };
}

/** What is due by itself is done. */
async function due(world: World): Promise<readonly string[]> {
  const tenants = await world.engine.accounts.due(world.clock.now(), MANY);
  for (const tenant of tenants) await world.live((engine) => engine.bill(tenant));
  return tenants;
}

/** False: the tenant does nothing today. */
async function lived(world: World, tenant: string): Promise<boolean> {
  const acts = HABITS.filter(([chance]) => world.random() < chance);
  for (const [, act] of acts) {
    await act(world, tenant);
    await world.live((engine) => engine.bill(tenant));
  }
  return acts.length > 0;
}

const chosen = <T>(all: readonly T[], random: Random): T | undefined => all[Math.floor(random() * all.length)];

/** A plan, dearer or cheaper; most pay it at once. */
async function chooses(world: World, tenant: string): Promise<void> {
  const { random } = world;
  const plan = chosen(SOLD, random) ?? '';
  const currency: BillingCurrency = random() < 0.8 ? 'IDR' : 'USD';
  const pays = random() < 0.7;
  await world.live((engine) => engine.buy(tenant, plan, currency));
  if (pays) await paysWhatIsOpen(world, tenant);
}

/** The invoice for a plan, or for overage. Of some payments nobody tells: the gateway asks. */
async function paysWhatIsOpen(world: World, tenant: string): Promise<void> {
  const { engine, random, till } = world;
  const isTold = random() < 0.7;
  const { account } = await engine.ledger.load(tenant);
  const open = account.open ?? account.owing[0];
  if (!open) return;
  await world.live(({ deps }) => withPage(deps, tenant, open.invoice));
  const page = till.pagesOf(tenant).findLast(({ invoice }) => invoice === open.invoice);
  if (page && till.bankedOf(tenant).every(({ ref }) => ref !== page.ref)) await pays(world, page, isTold);
}

/** Late, a second time, or one that was replaced: its provider calls. */
async function paysAnyPage(world: World, tenant: string): Promise<void> {
  const page = chosen(world.till.pagesOf(tenant), world.random);
  if (page) await pays(world, page, true);
}

async function pays({ till, live }: World, page: TillPage, isTold: boolean): Promise<void> {
  till.pay(page);
  if (isTold) await live(({ confirm }) => confirm.confirm({ _id: page.invoice, tenant_id: page.tenant }));
}

async function hasMoneyBack(world: World, tenant: string): Promise<void> {
  const { engine, random, till, clock } = world;
  const paid = (await invoicesOf(engine, tenant)).filter(({ status, amount }) => status === 'paid' && amount > 0);
  const invoice = chosen(paid, random);
  const settlement = invoice?.payments.find(({ became }) => became === 'settlement');
  const banked = till.bankedOf(tenant).find(({ id }) => id === settlement?.id);
  if (!invoice || !banked) return;
  banked.refunded = banked.amount;
  world.refunds.set(invoice._id, clock.now());
  await world.live(({ confirm }) => confirm.confirm(invoice));
}

async function sends({ store, clock, random, sent }: World, tenant: string): Promise<void> {
  const log = sent.get(tenant) ?? [];
  const now = clock.now();
  const many = 1 + Math.floor(random() * 4);
  const quota_month = new Date(now).toISOString().slice(0, 7);
  const rows = Array.from({ length: many }, (_, nth) => ({
    _id: `${tenant}-${log.length + nth}`,
    tenant_id: tenant,
    created_at: now,
    quota_month,
  }));
  await store.collection<MessageRow>(messagesSpec).insertMany(rows.map((row) => aMessageRow({ ...row, sent_at: now, status: 'sent' })));
  sent.set(tenant, [...log, ...rows.map(() => now)]);
}

async function unlessRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
  }
}

async function invoicesOf({ invoices }: Engine, tenant: string): Promise<readonly InvoiceRow[]> {
  const all: InvoiceRow[] = [];
  for (let last: InvoiceRow | undefined; ; last = all.at(-1)) {
    const page = await invoices.list(tenant, { limit: PAGE, before: last?.created_at ?? null, beforeId: last?._id ?? null });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

const livesOf =
  ({ engine, till, refunds, sent }: World, applied: ReadonlyMap<string, Life['applied']>) =>
  async (id: string): Promise<Life> => ({
    id,
    account: (await engine.ledger.load(id)).account,
    invoices: await invoicesOf(engine, id),
    banked: till.bankedOf(id),
    refunds,
    applied: applied.get(id) ?? [],
    sent: sent.get(id) ?? [],
  });

function monthsUpTo(now: number): readonly string[] {
  const months = new Set<string>();
  for (let at = START; at < now; at += DAY) months.add(new Date(at).toISOString().slice(0, 7));
  return [...months].slice(0, -1);
}
