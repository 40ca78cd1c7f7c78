/**
 * Repeats a simulated cluster's Redis calls against a real server, with the original rate and sizes. Each node has its own
 * connections and its own seal, and sends each call at its original time.
 */
import { systemClock } from '../../../runtime/clock.ts';
import type { Coordination, HeldBy } from '../../../runtime/cluster/port.ts';
import { redisCoordination } from '../../../runtime/cluster/redis/coordination.ts';
import { sealedCoordination } from '../../../runtime/cluster/sealed.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import { at } from '../../../runtime/invariant.ts';
import { RedisServer } from '../../../scripts/servers/redis.ts';
import type { Kept } from './counted.ts';

export interface Replayed {
  readonly calls: number;
  readonly failed: number;
  /** The error of the first failed call; null if none failed. */
  readonly why: string | null;
  readonly seconds: number;
  /** The server's CPU usage during the replay, as a fraction of one core. */
  readonly core: number;
  /** The most expensive commands according to the server, with their total CPU time in µs. */
  readonly commands: readonly { readonly name: string; readonly calls: number; readonly us: number }[];
}

const SECRET = 'the secret that nodes of one cluster share';
const LONG_MS = 120_000;
const AT_ONCE = 200;
const SILENT = { info() {}, warn() {}, error() {} };
const PAUSE_MS = 5;
const TRIES = 10;

export async function replay(kept: readonly Kept[], leases: readonly HeldBy[], channels: readonly Channel[]): Promise<Replayed> {
  const server = await RedisServer.start();
  await patiently(() => server.settle());
  const nodes = new Map<string, Coordination>();
  try {
    for (const { node } of kept) if (!nodes.has(node)) nodes.set(node, await connected(server.url));
    for (const { node, channel } of channels) await patiently(async () => nodes.get(node)?.subscribe(channel, () => {}));
    const first = at([...nodes.values()], 0);
    for (const some of inChunks(leases, AT_ONCE))
      await Promise.all(some.map(({ key, holder }) => patiently(() => first.acquire(key, holder, LONG_MS))));
    return await measured(server, kept, nodes);
  } finally {
    await Promise.all([...nodes.values()].map((node) => node.close()));
    await server.remove();
  }
}

/** A channel to which a node subscribes. */
export interface Channel {
  readonly node: string;
  readonly channel: string;
}

async function connected(url: string): Promise<Coordination> {
  const redis = sealedCoordination(redisCoordination({ url }), { secret: SECRET, clock: systemClock, log: SILENT });
  while (
    !(await redis.ping().then(
      () => true,
      () => false,
    ))
  )
    await rest();
  return redis;
}

async function measured(server: RedisServer, kept: readonly Kept[], nodes: ReadonlyMap<string, Coordination>): Promise<Replayed> {
  await patiently(() => server.run((redis) => redis.config('RESETSTAT')));
  const before = await cpuOf(server);
  const [began, origin] = [systemClock.monotonic(), at(kept, 0).at];
  let failed = 0;
  let why: string | null = null;
  const open = new Set<Promise<unknown>>();
  for (const { at: due, node, repeat } of kept) {
    while (systemClock.monotonic() - began < due - origin) await rest();
    const redis = nodes.get(node);
    if (!redis) continue;
    const asked: Promise<unknown> = repeat(redis)
      .catch((cause: unknown) => {
        failed += 1;
        why ??= String(cause);
      })
      .finally(() => open.delete(asked));
    open.add(asked);
  }
  await Promise.all(open);
  const seconds = (systemClock.monotonic() - began) / 1_000;
  const core = ((await cpuOf(server)) - before) / seconds;
  return { calls: kept.length, failed, why, seconds, core, commands: await commandsOf(server) };
}

/** Retries a preparation step, because a call may time out on a busy machine. */
async function patiently<T>(step: () => Promise<T>): Promise<T> {
  for (let nth = 1; nth < TRIES; nth += 1) {
    try {
      return await step();
    } catch {
      await rest();
    }
  }
  return step();
}

const rest = (): Promise<void> => new Promise((resolve) => void systemClock.after(PAUSE_MS, resolve));

/** Returns the server's CPU time in seconds, including its other threads. */
async function cpuOf(server: RedisServer): Promise<number> {
  const text = await patiently(() => server.run((redis) => redis.info('cpu')));
  const of = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1] ?? 0);
  return of('used_cpu_sys') + of('used_cpu_user');
}

async function commandsOf(server: RedisServer): Promise<Replayed['commands']> {
  const text = await patiently(() => server.run((redis) => redis.info('commandstats')));
  const lines = [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)];
  return lines.map(([, name = '', calls, us]) => ({ name, calls: Number(calls), us: Number(us) })).sort((a, b) => b.us - a.us);
}
