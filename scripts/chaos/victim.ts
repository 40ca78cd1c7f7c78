import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Logger, pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import type { Network } from '../../actors/network/port.ts';
import { connectSandbox } from '../../actors/network/sandbox/remote-sandbox.ts';
import { createWhatsApp } from '../../actors/network/whatsapp/driver.ts';
import { systemClock } from '../../runtime/clock.ts';
import { redisCluster } from '../../runtime/cluster/redis/coordination.ts';
import { guardedConnect } from '../../runtime/egress/guarded-connect.ts';
import { newId } from '../../runtime/ids.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import { boundLine } from '../faults/watched.ts';
import { type Config, readConfig } from '../wiring/config.ts';
import { type Node, startNode } from '../wiring/node.ts';
import { bothNetworks, isOnPeer } from './both-networks.ts';
import { clusterWithout, guardIn, limitsWithout, networkWithout, storeWithout } from './guards.ts';
import type { Report, Sample } from './reports.ts';
import { trailed } from './trail.ts';

const MANY = 1_000_000_000;
const UNLIMITED = { free: { devices: MANY, messages: MANY, send_per_minute: MANY, key_cap: MANY } };
const POLL_MS = 100;
const LEAKED = 1_000;
const LEAKED_FOR_MS = 3_600_000;

/** `GUARD` selects the disabled guard (guards.ts); `INCARNATION` names this process in the journal. */
export async function main(keepCompiled: () => void): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const config: Config = { ...readConfig(process.env), plans: plansFrom(UNLIMITED) };
  const guard = guardIn(process.env['GUARD']);
  const log = pino({ level: config.log_level, base: { node: config.node_id } });
  const store = await openMongo({ url: config.mongodb_url ?? '' });
  const network = networkOf(config, log);
  const cluster = redisCluster({
    url: config.redis_url ?? '',
    secret: config.jwt_secret ?? '',
    nodeId: config.node_id,
    boot: newId(systemClock.now()),
    ttlMs: config.lease_ttl_ms,
    clock: systemClock,
    log,
  });
  const node = await startNode(config, {
    log,
    store: trailed(storeWithout(guard, store)),
    network: networkWithout(guard, reported(network, process.env['INCARNATION'] ?? '')),
    cluster: clusterWithout(guard, cluster),
    ...limitsWithout(guard),
  });
  process.on('SIGTERM', () => void leave(node, () => store.close()));
  watchStalls(systemClock.monotonic());
  process.on('message', (wish) =>
    report(wish === 'sample' ? { is: 'sample', ...sample() } : { is: 'weight', ...weight(wish === 'collect') }),
  );
  report({ is: 'listening', url: node.url });
  keepCompiled();
}

function networkOf({ sandbox_url, whatsapp_url, whatsapp_root_key: rootKey, egress_allow: allow }: Config, log: Logger): Network {
  const sandbox = connectSandbox({ url: sandbox_url ?? '', clock: systemClock });
  if (!whatsapp_url) return sandbox;
  const dial = guardedConnect({ allow, clock: systemClock });
  return bothNetworks(sandbox, createWhatsApp({ url: whatsapp_url, rootKey, dial, clock: systemClock, log }));
}

async function leave(node: Node, last: () => Promise<void>): Promise<void> {
  await node.stop();
  await last();
  process.exit(0);
}

function reported(network: Network, incarnation: string): Network {
  let lines = 0;
  return {
    name: network.name,
    shutdown: () => network.shutdown(),
    open(order, receive) {
      lines += 1;
      const about = { line: lines, device: order.deviceId };
      const is = (what: 'opened' | 'closed'): void => {
        if (order.credentials !== null) report({ is: what, ...about, at: systemClock.now() });
      };
      is('opened');
      const deviceId = isOnPeer(order.deviceId) && process.env['WHATSAPP_URL'] ? order.deviceId : `${order.deviceId} ${incarnation}`;
      const line = network.open({ ...order, deviceId }, (event) => {
        if (event.type === 'closed') is('closed');
        receive(event);
      });
      return {
        ...boundLine(line),
        close() {
          is('closed');
          line.close();
        },
      };
    },
  };
}

/** Reports stalls, because a process cannot be blamed for anything while it is stalled. */
function watchStalls(since: number): void {
  systemClock.after(POLL_MS, () => {
    const forMs = systemClock.monotonic() - since - POLL_MS;
    const until = systemClock.now();
    if (forMs > POLL_MS) report({ is: 'stalled', from: until - forMs, until });
    watchStalls(systemClock.monotonic());
  });
}

function weight(isCollecting: boolean) {
  for (let i = 0; isCollecting && i < 3; i += 1) globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { heap: heapUsed + external, rss, cpuUs: user + system };
}

const lag = monitorEventLoopDelay({ resolution: 10 });
lag.enable();

function sample(): Sample {
  if (process.env['LEAK'] === 'timer') leakTimers();
  const { heap, rss, cpuUs } = weight(true);
  const active = process.getActiveResourcesInfo();
  const { Timeout: timers = 0, ...kinds }: Record<string, number> = Object.fromEntries(
    [...Map.groupBy(active, (kind) => kind)].map(([kind, own]) => [kind, own.length]),
  );
  const lagP99 = lag.percentile(99) / 1e6;
  lag.reset();
  return { heap, rss, cpuUs, timers, handles: active.length - timers, kinds, files: readdirSync('/proc/self/fd').length, lagP99 };
}

/** Leaks the same number of timers with each sample, to show that a run detects the leak. */
function leakTimers(): void {
  for (let i = 0; i < LEAKED; i += 1) systemClock.after(LEAKED_FOR_MS, () => {});
}

const report = (what: Report): void => void process.send?.(what);
