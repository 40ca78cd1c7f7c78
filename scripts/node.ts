import type { Logger } from 'pino';
import { guardedDial } from '../actors/egress/dial.ts';
import { expireWaiting } from '../actors/expiry.ts';
import type { Network } from '../actors/network/port.ts';
import { connectSandbox } from '../actors/network/sandbox/connect.ts';
import { createSandbox, type Sandbox } from '../actors/network/sandbox/sandbox.ts';
import { createWhatsApp } from '../actors/network/whatsapp/driver.ts';
import { createSealer } from '../actors/secrets/seal.ts';
import type { Live } from '../actors/stream/live.ts';
import { type Limits, LimitsInMemory } from '../http/limits.ts';
import { LimitsOverNodes } from '../http/limits-over-nodes.ts';
import type { HttpServer } from '../http/server.ts';
import { type Chance, systemChance } from '../runtime/chance.ts';
import { type Cancel, type Clock, systemClock } from '../runtime/clock.ts';
import { localCluster } from '../runtime/cluster/local.ts';
import type { Cluster } from '../runtime/cluster/port.ts';
import { newId } from '../runtime/ids.ts';
import type { ActorSystem } from '../runtime/system.ts';
import type { Store } from '../store/collection.ts';
import { openEmbedded } from '../store/embedded.ts';
import { secretKeyCheck } from './check-secret-keys.ts';
import type { Config } from './config.ts';
import { linkSender } from './link-sender.ts';
import { openLog } from './log.ts';
import { type Secrets, secretsFor } from './secrets.ts';
import { startActors } from './start-actors.ts';
import { startHttp } from './start-http.ts';
import { startMedia } from './start-media.ts';

/** What tests and benchmarks replace. */
export interface Replaced {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Logger;
  readonly store: Store;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly limits: Limits;
  /** Hold every answer against its documentation. */
  readonly checkAnswers: boolean;
}

/** A running node: HTTP, actors and background work in one process. */
export interface Node {
  readonly url: string;
  readonly secrets: Secrets;
  readonly actors: ActorSystem;
  readonly http: HttpServer;
  readonly live: Live;
  /** The other side, when it is in this process. */
  readonly sandbox: Sandbox | null;
  /** Resolves when another process was started under this NODE_ID: then this one is to be stopped. */
  readonly replaced: Promise<void>;
  /** Drains (design.md "A node"): refuses new work, lets what is on the wire be acked, closes lines without logging out, closes the store. */
  stop(): Promise<void>;
}

const SWEEP_MS = 60_000;
const DRAIN_MS = 10_000;

/** Starts a node. Rejects with an Error of one sentence when something it needs is not there. */
export async function startNode(config: Config, replaced: Partial<Replaced> = {}): Promise<Node> {
  const clock = replaced.clock ?? systemClock;
  const log = replaced.log ?? openLog({ level: config.log_level, base: { node: config.node_id } });
  const secrets = secretsFor(config);
  const store = replaced.store ?? (await openStore(config, log));
  const isSandbox = config.network === 'sandbox' && !replaced.network;
  const sandbox = isSandbox && !config.sandbox_url ? createSandbox({ clock, chance: replaced.chance ?? systemChance }) : null;
  const network = replaced.network ?? sandbox?.network() ?? openNetwork(config, clock, log);
  const cluster = replaced.cluster ?? (await openCluster(config, clock, log));
  const files = await startMedia(config, store, clock, log);
  const replacedBy = Promise.withResolvers<void>();
  cluster.onReplaced(replacedBy.resolve);
  const sealer = createSealer(secrets.deviceKeys);
  const checkKeys = secretKeyCheck(store, sealer);
  const chance = replaced.chance ?? systemChance;
  const world = startActors({ config, clock, log, store, network, cluster, media: files.media, sealer, chance });
  const { limits = limitsOver(cluster, log), checkAnswers = false } = replaced;
  const http = await startHttp({
    config,
    clock,
    log,
    store,
    world,
    directFiles: files.directFiles,
    secrets,
    sandbox,
    limits,
    checkAnswers,
  });
  await store.prepare();
  await checkKeys();
  await http.start();
  cluster.announce({ address: config.base_url ?? http.url });
  await world.start();
  const tidyUp = (now: number): Promise<unknown> =>
    Promise.all([
      store.sweep(now),
      world.tidy(now),
      files.sweep(now),
      world.consentBook.settleOwed(now - SWEEP_MS),
      expireWaiting(world, now),
    ]);
  const stopSweeping = sweepFromTimeToTime(tidyUp, clock, log);
  const linksItself = config.network === 'sandbox' && (sandbox || config.sandbox_url);
  const stopLinking = linksItself ? linkSender(world.sender, { sandbox, url: config.sandbox_url, clock, log }) : () => {};

  return {
    get url() {
      return http.url;
    },
    secrets,
    actors: world.actors,
    http,
    live: world.live,
    sandbox,
    replaced: replacedBy.promise,
    async stop() {
      stopSweeping();
      stopLinking();
      const served = http.stop({ timeoutMs: DRAIN_MS });
      await world.leave(DRAIN_MS);
      await served;
      await network.shutdown();
      if (!replaced.store) await store.close();
    },
  };
}

function openNetwork(
  { network, sandbox_url, whatsapp_url, whatsapp_root_key, whatsapp_history: history, egress_allow }: Config,
  clock: Clock,
  log: Logger,
): Network {
  if (network === 'whatsapp') {
    const dial = guardedDial({ allow: egress_allow, clock });
    return createWhatsApp({ url: whatsapp_url, rootKey: whatsapp_root_key, history, dial, clock, log });
  }
  return connectSandbox({ url: sandbox_url!, clock });
}

export async function openStore(config: Pick<Config, 'mongodb_url' | 'data_dir'>, log: Logger): Promise<Store> {
  if (!config.mongodb_url) return openEmbedded({ path: `${config.data_dir}/gateway.db`, log });
  // Loaded only where it is used, like the Redis client: a node that is alone starts faster without.
  const { openMongo } = await import('../store/mongo.ts');
  try {
    return await openMongo({ url: config.mongodb_url });
  } catch (cause) {
    throw new Error(`MONGODB_URL does not lead to a server that answers: ${(cause as Error).message}.`);
  }
}

/** The Redis client is loaded only where it is used: a node that is alone starts faster without. */
async function openCluster(config: Config, clock: Clock, log: Logger): Promise<Cluster> {
  const { node_id: nodeId, redis_url: url, lease_ttl_ms: ttlMs } = config;
  if (!url) return localCluster({ nodeId, clock });
  const { redisCluster } = await import('../runtime/cluster/redis.ts');
  return redisCluster({ url, nodeId, boot: newId(clock.now()), ttlMs, clock, log });
}

function limitsOver(cluster: Cluster, log: Logger): Limits {
  const { counting } = cluster;
  if (!counting) return new LimitsInMemory();
  const failed = (cause: unknown): void => log.warn({ err: cause }, 'limits are not counted over all nodes: each lets its share through');
  return new LimitsOverNodes({ counting, nodes: () => cluster.members().length, failed });
}

function sweepFromTimeToTime(sweep: (now: number) => Promise<unknown>, clock: Clock, log: Logger): Cancel {
  let cancel: Cancel;
  const again = (): void => {
    cancel = clock.after(SWEEP_MS, () => {
      sweep(clock.now()).catch((cause) => log.warn({ err: cause }, 'what is over could not be swept'));
      again();
    });
  };
  again();
  return () => cancel();
}
