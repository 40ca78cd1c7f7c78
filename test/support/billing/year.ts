import { plansFrom } from '../../../actors/domain/plans.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { accountsIn } from '../../../store/billing/accounts.ts';
import type { InvoiceRow } from '../../../store/billing/invoices.ts';
import { type MessageRow, messagesSpec } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { mortalStore } from '../mortal-store.ts';
import { anEngine, type Engine } from './engine.ts';
import { type Guard, unguarded } from './guards.ts';
import { openTill } from './till.ts';
import { HABITS, type World } from './year-habits.ts';
import { faultsOfMoney, faultsOfNumbers, faultsOfOverage, faultsOfPlan, faultsOfUnusedDays, type Life } from './year-verdict.ts';

export interface YearRun {
  readonly store: Store;
  readonly tenants: number;
  readonly days: number;
  readonly seed: number;
  /** Fraction (0 to 1) of the gateway's operations in which its process dies at a write. */
  readonly deaths: number;
  /** The guard to disable in a control run. */
  readonly without?: Guard;
  /** Number of nodes that bill at the same time, each with its own tenants; default: 1. */
  readonly nodes?: number;
}

export interface YearVerdict {
  readonly invoices: number;
  readonly paid: number;
  readonly overages: number;
  readonly credits: number;
  readonly refunds: number;
  /** Number of messages in the log, from which each tenant's months are recounted. */
  readonly messages: number;
  readonly months: number;
  readonly deaths: number;
  /** The first detected faults. */
  readonly wrong: readonly string[];
}

const DAY = 86_400_000;
/** 3 a.m. in Jakarta, so that ended months are closed before any tenant acts. */
const START = Date.UTC(2026, 0, 1, 20);
const BACK_MS = 20_000;
const PLANS = plansFrom({ pro: { messages: 5 }, business: { messages: 10 } });
const MANY = 1_000_000;
const PAGE = 200;
const MAX_WRITES = 12;
const SHOWN = 20;
/** Fraction of tenants that are judged although their plan did not change on a day with due work. */
const LOOKED_AT = 0.1;
/**
 * Days until unreported payments are found by the gateway's own queries; for an overage, at its expiry after 30 days
 * at the latest.
 */
const SETTLING_DAYS = 40;

/** A node with the tenants that it bills. */
interface Node {
  readonly world: World;
  readonly tenants: readonly string[];
  readonly applied: ReadonlyMap<string, Life['applied']>;
  /** State of each tenant's plan at the last check. */
  readonly known: Map<string, string>;
  readonly deaths: () => number;
}

/**
 * Simulates tenants who buy, pay, pay late and twice, upgrade, downgrade, cancel and request refunds at random while
 * processes die.
 */
export async function runYear(run: YearRun): Promise<YearVerdict> {
  const many = run.nodes ?? 1;
  const tenants = Array.from({ length: run.tenants }, (_, nth) => `t${nth}`);
  const nodes = Array.from({ length: many }, (_, nth) =>
    aNode(
      run,
      tenants.filter((_id, of) => of % many === nth),
      nth,
    ),
  );
  await run.store.prepare();
  const accounts = accountsIn(run.store);
  const wrong: string[] = [];
  const last = run.days + SETTLING_DAYS;
  for (let day = 1; day <= last; day += 1) {
    const due = new Set(await accounts.due(START + day * DAY, MANY));
    const found = await Promise.all(nodes.map((node) => lived(node, day, day <= run.days, due)));
    wrong.push(...found.flat());
  }
  const judged = await Promise.all(nodes.map((node) => judge(run.store, node)));
  const invoices = judged.flatMap((one) => one.invoices);
  wrong.push(...judged.flatMap((one) => one.wrong), ...faultsOfNumbers(invoices));
  return {
    invoices: invoices.length,
    paid: invoices.filter(({ paid_at }) => paid_at !== null).length,
    overages: invoices.filter(({ kind }) => kind === 'overage').length,
    credits: invoices.flatMap(({ payments }) => payments.filter(({ became }) => became === 'credit')).length,
    refunds: nodes.reduce((sum, { world }) => sum + world.refunds.size, 0),
    messages: judged.reduce((sum, one) => sum + one.messages, 0),
    months: judged.reduce((sum, one) => sum + one.months, 0),
    deaths: nodes.reduce((sum, { deaths }) => sum + deaths(), 0),
    wrong: wrong.slice(0, SHOWN),
  };
}

/** Each node has its own clock and random stream, so its tenants do not depend on others. */
function aNode({ store: whole, seed, deaths: share, without }: YearRun, tenants: readonly string[], nth: number): Node {
  const [clock, random, till] = [
    new VirtualClock(START),
    seededRandom(seed + nth * 1_000_003),
    openTill(without === 'one name per payment'),
  ];
  const store = unguarded(whole, without);
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
  let deaths = 0;
  const world: World = {
    ...{ store, clock, random, till, engine },
    refunds: new Map(),
    async live(work) {
      clock.jump(1);
      if (random() >= share) return void (await unlessRefused(work(engine)));
      const mortal = mortalStore(store, { write: 1 + Math.floor(random() * MAX_WRITES), isMade: random() < 0.5 });
      await unlessRefused(work(over(mortal.store))).catch((cause: unknown) => {
        if (!mortal.isDead()) throw cause;
      });
      if (!mortal.isDead()) return;
      deaths += 1;
      // After a while, the page that the dead process was about to create is abandoned.
      clock.jump(BACK_MS);
      await unlessRefused(work(engine));
    },
  };
  return { world, tenants, applied, known: new Map(), deaths: () => deaths };
}

/** Simulates a day: handles due work, lets tenants act, and judges those whose billing changed. */
async function lived(node: Node, day: number, areAlive: boolean, due: ReadonlySet<string>): Promise<readonly string[]> {
  const { world, tenants } = node;
  const { clock, engine } = world;
  clock.jump(START + day * DAY - clock.now());
  const busy = new Set(tenants.filter((tenant) => due.has(tenant)));
  for (const tenant of busy) await world.live(({ bill }) => bill(tenant));
  if (areAlive) for (const tenant of tenants) if (await acted(world, tenant)) busy.add(tenant);
  const wrong: string[] = [];
  for (const tenant of busy) {
    if (!(await hasMoved(node, tenant)) && world.random() >= LOOKED_AT) continue;
    // Time has passed since then, so ended periods are handled before judging.
    await engine.bill(tenant);
    wrong.push(...faultsOfPlan(await lifeOf(node, tenant), clock.now()));
  }
  return wrong;
}

/** Whether the plan or its basis changed since the last call. Most due work only counts the day's messages. */
async function hasMoved({ world: { engine }, known }: Node, tenant: string): Promise<boolean> {
  const account = await engine.accounts.find(tenant);
  const state = `${account?.plan} ${account?.basis} ${account?.grace_until}`;
  const isNew = known.get(tenant) !== state;
  known.set(tenant, state);
  return isNew;
}

/** Returns false if the tenant did nothing today that affects its billing. */
async function acted(world: World, tenant: string): Promise<boolean> {
  let hasActed = false;
  for (const [chance, act] of HABITS) {
    if (world.random() >= chance || !(await act(world, tenant))) continue;
    await world.live(({ bill }) => bill(tenant));
    hasActed = true;
  }
  return hasActed;
}

interface Judged {
  readonly wrong: readonly string[];
  readonly invoices: readonly InvoiceRow[];
  readonly messages: number;
  readonly months: number;
}

/** Judges every account and invoice of a node's tenants at the end of the year. */
async function judge(store: Store, node: Node): Promise<Judged> {
  const now = node.world.clock.now();
  const months = monthsUpTo(now);
  const wrong: string[] = [];
  const invoices: InvoiceRow[] = [];
  let messages = 0;
  for (const tenant of node.tenants) {
    const life = await lifeOf(node, tenant);
    const sent = await sentBy(store, tenant);
    messages += sent.length;
    invoices.push(...life.invoices);
    wrong.push(...faultsOfPlan(life, now), ...faultsOfMoney(life), ...faultsOfUnusedDays(life));
    wrong.push(...faultsOfOverage(life, sent, PLANS, months));
    if (life.account.outbox.length > 0) wrong.push(`${tenant}: something is left to do`);
  }
  return { wrong, invoices, messages, months: months.length * node.tenants.length };
}

/** Returns the times at which a tenant's messages were sent, according to the log. */
async function sentBy(store: Store, tenant_id: string): Promise<readonly number[]> {
  const log = store.collection<MessageRow>(messagesSpec);
  const rows = await log.find({ tenant_id, sent_at: { $gte: 0 } }, { projection: { sent_at: 1 } }).toArray();
  return rows.flatMap(({ sent_at }) => sent_at ?? []);
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
    const page = await Array.fromAsync(
      invoices.list(tenant, { limit: PAGE, before: last?.created_at ?? null, beforeId: last?._id ?? null }),
    );
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

async function lifeOf({ world: { engine, till, refunds }, applied }: Node, id: string): Promise<Life> {
  const [{ account }, invoices] = await Promise.all([engine.ledger.load(id), invoicesOf(engine, id)]);
  return { id, account, invoices, banked: till.bankedOf(id), refunds, applied: applied.get(id) ?? [] };
}

function monthsUpTo(now: number): readonly string[] {
  const months = new Set<string>();
  for (let at = START; at < now; at += DAY) months.add(new Date(at).toISOString().slice(0, 7));
  return [...months].slice(0, -1);
}
