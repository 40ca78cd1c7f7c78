import type { IncomingMessage } from 'node:http';
import { pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import { connectSandbox } from '../../actors/network/sandbox/remote-sandbox.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Cluster } from '../../runtime/cluster/port.ts';
import { redisCluster } from '../../runtime/cluster/redis/coordination.ts';
import { newId } from '../../runtime/ids.ts';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import { NEVER_FULL } from '../../test/support/limits.ts';
import { type Config, readConfig } from '../wiring/config.ts';
import { startNode } from '../wiring/node.ts';
import { PLANT_HEADER, plant } from './plants.ts';
import type { Measured, Order } from './protocol.ts';
import { TurnMeter } from './turn-meter.ts';

const MANY = 1_000_000_000;
const UNLIMITED = {
  free: {
    devices: MANY,
    messages: MANY,
    send_per_minute: MANY,
    key_cap: MANY,
    keys: MANY,
    stores: MANY,
    ai_replies: MANY,
    media_bytes: MANY,
  },
};

/** Starts a node without request limits, which would refuse most input. `BUS_URL` adds a Redis. */
export async function main(keepCompiled: () => void): Promise<void> {
  process.on('disconnect', () => process.exit(1));
  const config: Config = { ...readConfig(process.env), plans: plansFrom(UNLIMITED) };
  const { mongodb_url, data_dir, network, sandbox_url } = config;
  const cluster = clusterOf(config, process.env['BUS_URL']);
  const node = await startNode(config, {
    limits: NEVER_FULL,
    store: mongodb_url ? await openMongo({ url: mongodb_url }) : openEmbedded({ path: `${data_dir}/gateway.db` }),
    ...(network === 'sandbox' && { network: connectSandbox({ url: sandbox_url ?? '', clock: systemClock }) }),
    ...(cluster && { cluster }),
  });
  // Like `npm start`, the process exits when it is replaced; the guard notices the exit.
  void node.replaced.then(() => process.exit(1));
  node.http.listener.prependListener('request', ({ rawHeaders }: IncomingMessage) => {
    const nth = rawHeaders.indexOf(PLANT_HEADER);
    if (nth >= 0) plant(rawHeaders[nth + 1]);
  });
  const meter = new TurnMeter();
  process.on('message', (order: Order) => void obey(order, meter));
  process.send?.({ url: node.url });
  keepCompiled();
}

function clusterOf({ jwt_secret, node_id, lease_ttl_ms, log_level }: Config, url: string | undefined): Cluster | null {
  if (!url) return null;
  return redisCluster({
    url,
    secret: jwt_secret ?? '',
    nodeId: node_id,
    boot: newId(systemClock.now()),
    ttlMs: lease_ttl_ms,
    clock: systemClock,
    log: pino({ level: log_level }),
  });
}

async function obey(order: Order, meter: TurnMeter): Promise<void> {
  if (order.do === 'begin') {
    // Collects twice, because finalizers run by the first collection release more objects.
    if (order.collect) for (let nth = 0; nth < 2; nth += 1) globalThis.gc?.();
    meter.begin();
    report({ is: 'begun', rss: process.memoryUsage.rss() });
  } else report({ is: 'ended', worstMs: await meter.worst() });
}

const report = (measured: Measured): void => void process.send?.(measured);
