import { systemClock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { type Answer, expected } from './caller.ts';
import { factsOf, type Point } from './points.ts';
import { until } from './processes.ts';
import { SHOP, type World } from './world.ts';

/** Each send goes to a different phone, so that sends can be told apart in the journal. */
export interface Send {
  readonly point: Point;
  readonly to: string;
  readonly status: number | null;
  readonly id: string | null;
}

export interface Written {
  readonly point: Point;
  readonly body: string;
}

export interface Ledger {
  readonly sends: Send[];
  readonly written: Written[];
  readonly kills: Map<Point, number>;
}

export const emptyLedger = (): Ledger => ({ sends: [], written: [], kills: new Map() });

const BURST = 20;
const WRITTEN_PER_BURST = 4;
const DIES_WITHIN_MS = 30_000;
const SETTLES_WITHIN_MS = 60_000;
const MISSED_AFTER_MS = 2_000;
const WRITER = '6281211110001';

export async function round(world: World, ledger: Ledger, point: Point, random: Random): Promise<void> {
  const since = systemClock.now();
  const writtenBefore = ledger.written.length;
  const order = `${point}:${1 + Math.floor(random() * factsOf(point).most)}`;
  if (factsOf(point).atStart) {
    await dieUnderLoad(world, ledger, point, 'before-mark:2');
    world.startArmed(order);
    await died(world, point);
  } else {
    await dieUnderLoad(world, ledger, point, order);
  }
  ledger.kills.set(point, (ledger.kills.get(point) ?? 0) + 1);
  await world.start();
  await settled(world, since, ledger.written.length - writtenBefore);
}

async function dieUnderLoad(world: World, ledger: Ledger, point: Point, order: string): Promise<void> {
  let isAlive = true;
  const over = (): void => {
    isAlive = false;
  };
  const death = died(world, point);
  death.then(over, over);
  // Arms only after a burst, because leftovers of the previous round would trigger some points.
  await burst(world, ledger, point);
  world.gateway.arm(order);
  while (isAlive) await burst(world, ledger, point);
  await death;
}

async function died(world: World, point: Point): Promise<void> {
  const { gateway } = world;
  const cancel = systemClock.after(DIES_WITHIN_MS, () => void gateway.kill());
  const startedAt = systemClock.monotonic();
  const signal = await gateway.ended;
  cancel();
  if (signal !== 'SIGKILL') throw new Error(`the gateway ended by itself (${point})`);
  if (systemClock.monotonic() - startedAt >= DIES_WITHIN_MS) throw new Error(`the gateway never passed ${point}`);
}

async function burst(world: World, ledger: Ledger, point: Point): Promise<void> {
  const writing = Array.from({ length: WRITTEN_PER_BURST }, () => write(world, ledger, point));
  const sending = Array.from({ length: BURST }, () => send(world, ledger, point));
  await Promise.all([...writing, ...sending]);
}

let serial = 0;

async function send(world: World, ledger: Ledger, point: Point): Promise<void> {
  serial += 1;
  const to = `62812${10_000_000 + serial}`;
  const answer = await world
    .api('POST', `${world.path}/messages`, { chat_id: to, type: 'text', body: `to ${to}`, connect_only: false })
    .catch((): Answer | null => null);
  ledger.sends.push({ point, to, status: answer?.status ?? null, id: answer?.status === 202 ? answer.body.id : null });
}

async function write(world: World, ledger: Ledger, point: Point): Promise<void> {
  serial += 1;
  const body = `from ${serial}`;
  expected(await world.sandbox('POST', `/sandbox/phones/${WRITER}/messages`, { to: SHOP, body }), 201);
  ledger.written.push({ point, body });
}

/** After a timeout, simply continues, because the verdict reports missing messages anyway. */
async function settled(world: World, since: number, written: number): Promise<void> {
  const count = async (query: string): Promise<number> =>
    expected(await world.api('GET', `${world.path}/messages?since=${since}&limit=200&${query}`), 200).messages.length;
  await until(SETTLES_WITHIN_MS, async () => (await count('status=queued')) === 0);
  const patience = world.guard === 'early-acknowledge' ? MISSED_AFTER_MS : SETTLES_WITHIN_MS;
  await until(patience, async () => (await count('direction=inbound')) >= Math.min(written, 200));
}
