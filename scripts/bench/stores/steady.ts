import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '../../../runtime/clock.ts';
import { storeHooksSpec } from '../../../store/store-links/hooks.ts';
import { type BenchNode, startBenchNode } from '../bench-node.ts';
import { getRequest, sendRequests } from '../http/requests.ts';
import { aDevice, anApiKey, aTenant } from '../planted.ts';
import { connectStores } from './connected-stores.ts';
import { hookRequests } from './hooks.ts';
import type { Answers, SteadyOrder, SteadyReport, Stream } from './steady-load.ts';

interface SteadyPlan {
  readonly stores: number;
  readonly each: number;
  readonly others: number;
  readonly withinMs: number;
  readonly isKept: boolean;
  readonly rounds: number;
}

export interface Steady {
  readonly sent: number;
  readonly stored: number;
  /**
   * Latencies of webhooks, and of other calls without webhooks (`alone`) and with them (`beside`).
   */
  readonly rounds: readonly { readonly alone: SteadyReport; readonly beside: SteadyReport; readonly hooks: Answers }[];
}

export const OTHERS = ['send', 'read'] as const;

export async function steady(plan: SteadyPlan): Promise<Steady> {
  const bench = await startBenchNode();
  const load = fork(fileURLToPath(new URL('./steady-load.ts', import.meta.url)));
  try {
    const on = { port: Number(new URL(bench.node.url).port), withinMs: plan.withinMs, isKept: plan.isKept };
    const others = await otherStreams(bench, plan.others);
    const paths = await connectStores(bench, plan.stores);
    const count = plan.stores * plan.each;
    const requests = hookRequests(paths, count * plan.rounds, systemClock.now());
    const rounds: Steady['rounds'][number][] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      const hooks: Stream = { name: 'hooks', requests: requests.slice(round * count, (round + 1) * count), count, status: 200 };
      const alone = await played(load, { ...on, streams: others });
      const { hooks: answers, ...beside } = await played(load, { ...on, streams: [...others, hooks] });
      if (!answers) throw new Error('the load said nothing of the webhooks');
      rounds.push({ alone, beside, hooks: answers });
    }
    const stored = await bench.store.collection(storeHooksSpec).countDocuments({});
    return { sent: count * plan.rounds, stored, rounds };
  } finally {
    load.kill();
    await bench.node.stop();
  }
}

async function otherStreams({ store }: BenchNode, count: number): Promise<readonly Stream[]> {
  const tenant = await aTenant(store);
  const key = await anApiKey(store, tenant._id);
  const device = await aDevice(store, tenant._id);
  const headers = { Authorization: `Bearer ${key}` };
  const path = `/v1/sessions/${device._id}`;
  return [
    { name: 'send', requests: sendRequests(`${path}/messages`, headers), count, status: 202 },
    { name: 'read', requests: [getRequest(path, headers)], count, status: 200 },
  ];
}

async function played(load: ChildProcess, order: SteadyOrder): Promise<SteadyReport> {
  load.send(order);
  const [report]: SteadyReport[] = await once(load, 'message');
  if (!report) throw new Error('the load process said nothing');
  return report;
}

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isKept = !process.argv.includes('--connect');
  const [seconds = 20, rounds = 5] = process.argv.slice(2).flatMap((one) => (one.startsWith('--') ? [] : Number(one)));
  const plan = { stores: 20, each: 5 * seconds, others: 10 * seconds, withinMs: seconds * 1_000, rounds, isKept };
  const { sent, stored, rounds: done } = await steady(plan);
  console.log(
    `20 stores, 300 webhooks a minute each, ${rounds} x ${seconds} s, ${isKept ? 'kept connections' : 'a connection each'}: ${sent} sent, ${stored} stored`,
  );
  const accepted = done.reduce((sum, { hooks }) => sum + hooks.accepted, 0);
  console.log(`webhooks  ${accepted} accepted, p99 ${median(done.map(({ hooks }) => hooks.p99)).toFixed(1)} ms`);
  for (const name of OTHERS) {
    const p99 = (side: 'alone' | 'beside'): number => median(done.map((round) => round[side][name]?.p99 ?? Number.NaN));
    const ratio = median(done.map(({ alone, beside }) => (beside[name]?.p99 ?? Number.NaN) / (alone[name]?.p99 ?? Number.NaN)));
    console.log(
      `${name.padEnd(9)} p99 ${p99('alone').toFixed(1)} ms alone, ${p99('beside').toFixed(1)} ms beside: ${ratio.toFixed(2)} times (goal 1.5)`,
    );
  }
  process.exit(accepted === sent && stored === sent ? 0 : 1);
}
