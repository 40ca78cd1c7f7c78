import { LimitsOverNodes } from '../../../http/limits/limits-over-nodes.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { redisCoordination } from '../../../runtime/cluster/redis/coordination.ts';
import { BatchedCounting } from '../../../runtime/cluster/shared-counters.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Random } from '../../../runtime/random.ts';
import { overfull, type Pass, wronged } from './judge.ts';

export interface LimitsRun {
  readonly redisUrl: string;
  readonly nodes: number;
  readonly tries: number;
  readonly max: number;
  readonly windowMs: number;
  readonly random: Random;
  /** Whether nodes count separately. If so, some windows must hold too many calls. */
  readonly apart: boolean;
}

export interface LimitsVerdict {
  readonly tries: number;
  readonly passed: number;
  /** Number of windows that certainly held more calls than the limit. */
  readonly overfull: number;
  /** Number of calls that were refused although the window certainly had capacity. */
  readonly wronged: number;
  readonly broken: number;
  readonly p99: number;
}

const CALLERS = 8;
const KEY = 'somebody';
/** Redis counts in whole ms, so two calls may appear up to 1 ms further apart than they are. */
const SLACK_MS = 1;

export async function runLimits({ redisUrl, nodes, tries, max, windowMs, random, apart }: LimitsRun): Promise<LimitsVerdict> {
  const coordinations = Array.from({ length: nodes }, () => redisCoordination({ url: redisUrl }));
  await Promise.all(coordinations.map(answering));
  const limits = coordinations.map((coordination) => {
    const counting = new BatchedCounting(coordination, systemClock);
    return new LimitsOverNodes({ counting, nodes: () => nodes, failed: fail });
  });
  const tryOn = async (node: number, key: string) => {
    const askedAt = systemClock.monotonic();
    const verdict = await at(limits, node).take(apart ? `${key} ${node}` : key, max, windowMs, systemClock.now());
    return { ...verdict, askedAt, answeredAt: systemClock.monotonic() };
  };
  const passes: Pass[] = [];
  const refusals: Pass[] = [];
  let left = tries;
  async function call(node: number): Promise<void> {
    while (left > 0) {
      left -= 1;
      const { ok, askedAt, answeredAt } = await tryOn(node, KEY);
      (ok ? passes : refusals).push({ askedAt, answeredAt });
      await pause(systemClock, Math.floor(random() ** 3 * 30));
    }
  }
  await Promise.all(Array.from({ length: nodes * CALLERS }, (_, i) => call(i % nodes)));
  const broken = await keptPromises(nodes, max, windowMs, tryOn);
  await Promise.all(coordinations.map((coordination) => coordination.close()));
  const took = [...passes, ...refusals].map(({ askedAt, answeredAt }) => answeredAt - askedAt).sort((a, b) => a - b);
  const limit = { max, windowMs, slackMs: SLACK_MS };
  const judged = { overfull: overfull(passes, limit), wronged: wronged(passes, refusals, limit) };
  return { tries, passed: passes.length, ...judged, broken, p99: took[Math.floor(took.length * 0.99)] ?? 0 };
}

type Try = (node: number, key: string) => Promise<{ readonly ok: boolean; readonly resetMs: number }>;

async function keptPromises(nodes: number, max: number, windowMs: number, tryOn: Try): Promise<number> {
  let broken = 0;
  for (let n = 0; n < max; n += 1) {
    await tryOn(n % nodes, 'patient');
    await pause(systemClock, Math.ceil(windowMs / max / 4));
  }
  for (let n = 0; n < nodes; n += 1) {
    const { ok, resetMs } = await tryOn(n, 'patient');
    // Timers in Node may fire up to 1 ms early.
    if (!ok) await pause(systemClock, resetMs + SLACK_MS);
    if (!ok && !(await tryOn((n + 1) % nodes, 'patient')).ok) broken += 1;
  }
  return broken;
}

async function answering(coordination: { ping(): Promise<void> }): Promise<void> {
  for (;;) {
    try {
      return await coordination.ping();
    } catch {
      await pause(systemClock, 20);
    }
  }
}

function fail(cause: unknown): never {
  throw cause;
}
