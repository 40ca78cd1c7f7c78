/**
 * Assembles a node from its configuration, and stops it. The order matters: the store is claimed before the
 * cluster opens, and HTTP listens before the node joins the cluster and runs actors. When the node stops,
 * its actors leave first; the claim and the store are released last.
 */

import type { Logger } from 'pino';
import type { Network } from '../../actors/network/port.ts';
import { connectSandbox } from '../../actors/network/sandbox/remote-sandbox.ts';
import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { type CatalogClient, createCatalogClient } from '../../actors/network/whatsapp/catalog/catalog-client.ts';
import { createWhatsApp } from '../../actors/network/whatsapp/driver.ts';
import { relyingPartyAt } from '../../actors/services/accounts/passkeys.ts';
import { sealBareSecrets } from '../../actors/services/credentials/sealed-secrets.ts';
import type { Live } from '../../actors/services/live/live.ts';
import { expireWaiting } from '../../actors/services/messaging/expiry.ts';
import { createForgottenSweep } from '../../actors/services/messaging/forgotten-sweep.ts';
import { createOutboxSweep } from '../../actors/services/messaging/outbox-sweep.ts';
import { endAbandonedRefunds } from '../../actors/services/messaging/unsent-quota.ts';
import { createUnknownCounts } from '../../actors/services/network-unknown/network-unknown.ts';
import { type Limits, LimitsInMemory } from '../../http/limits/limits.ts';
import { LimitsOverNodes } from '../../http/limits/limits-over-nodes.ts';
import type { HttpServer } from '../../http/server/server.ts';
import type { ActorSystem } from '../../runtime/actor-system/system.ts';
import { type ChildProcesses, openChildProcesses } from '../../runtime/child-processes/child-processes.ts';
import { CLAIM_MS } from '../../runtime/claims.ts';
import { type Cancel, type Clock, systemClock } from '../../runtime/clock.ts';
import { localCluster } from '../../runtime/cluster/local-cluster.ts';
import type { Cluster } from '../../runtime/cluster/port.ts';
import { type Egress, egressTo } from '../../runtime/egress/egress.ts';
import { guardedConnect } from '../../runtime/egress/guarded-connect.ts';
import { asError, codeOf } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ids.ts';
import { present } from '../../runtime/invariant.ts';
import { type Random, systemRandom } from '../../runtime/random.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { type Passkeys, passkeysIn } from '../../store/accounts/passkeys.ts';
import { networkUnknownIn } from '../../store/devices/network-unknown.ts';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import type { MediaBytes } from '../../store/media/media.ts';
import { messageSecretsIn, SECRET_KEPT_MS } from '../../store/messaging/message-secrets.ts';
import type { Store } from '../../store/port.ts';
import { secretRewritesIn } from '../../store/secrets/secret-rewrites.ts';
import { startActors } from './actors.ts';
import { AuditHeads, cutOperatorLog, headPublisher, openAudit } from './audit.ts';
import { keepAuditKey, takeOverAuditLogs } from './audit-key.ts';
import { checkSecretKey } from './check-secret-keys.ts';
import { CONFIG_FILE, type Config } from './config.ts';
import { startHttp } from './http.ts';
import { linkSender } from './link-sender.ts';
import { openLog } from './log.ts';
import { startMedia } from './media.ts';
import { LIMIT_NAMES, measuredLimits } from './metrics/measured-limits.ts';
import { measuredStore, storeTimes } from './metrics/measured-store.ts';
import { ACTOR_KINDS, Meters } from './metrics/meters.ts';
import { startPrivacy } from './privacy.ts';
import { type Secrets, secretsFor } from './secrets.ts';
import { CLUSTER, claimStore } from './store-claim.ts';

export interface Replaced {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly store: Store;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly limits: Limits;
  readonly children: ChildProcesses;
  readonly bytes: MediaBytes;
  readonly egress: Egress;
  readonly checkAnswers: boolean;
}

export interface Node {
  readonly url: string;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly actors: ActorSystem;
  readonly http: HttpServer;
  readonly live: Live;
  readonly sandbox: Sandbox | null;
  /** Resolves if another process starts under this NODE_ID or takes over the store. */
  readonly replaced: Promise<void>;
  /** Waits for pending acks, and closes the connections without logging out the devices. */
  stop(): Promise<void>;
}

const SECRETS_FORGOTTEN = 10_000;
const SWEEP_MS = 60_000;
/**
 * Only every fifth sweep searches rows for leftover audit entries, because only a crash leaves
 * entries there.
 */
const RECOVERED_EVERY = 5;
const DRAIN_MS = 10_000;
const MAX_ACTION_MS = 10 * 60_000;

export async function startNode(config: Config, replaced: Partial<Replaced> = {}): Promise<Node> {
  const clock = replaced.clock ?? systemClock;
  const log = replaced.log ?? openLog({ level: config.log_level, base: { node: config.node_id } });
  const given = secretsFor(config);
  const opened = replaced.store ?? (await openStore(config, log));
  await using taken = new AsyncDisposableStack();
  if (!replaced.store) taken.defer(() => opened.close());
  const sealer = createSealer(given.deviceKeys);
  await checkSecretKey(opened, sealer);
  const secrets: Secrets = { ...given, audit: await keepAuditKey(opened, sealer, given.audit, config.audit_key !== null) };
  const meters = new Meters(ACTOR_KINDS, LIMIT_NAMES);
  const times = storeTimes(clock);
  const { store, auditLog, audit } = openAudit(measuredStore(opened, times), secrets.audit, log);
  const unknown = createUnknownCounts(networkUnknownIn(store), clock);
  const isSandbox = config.network === 'sandbox' && !replaced.network;
  const sandbox = isSandbox && !config.sandbox_url ? await openSandbox(clock, replaced.random ?? systemRandom) : null;
  const network = replaced.network ?? sandbox?.network() ?? openNetwork(config, clock, log, meters);
  const replacedBy = Promise.withResolvers<void>();
  if (!replaced.store) taken.defer(await claim(config, opened, clock, log, replacedBy.resolve));
  const cluster = replaced.cluster ?? (await openCluster(config, secrets.jwt, clock, log));
  const children = replaced.children ?? (await openChildren(config, clock));
  taken.defer(() => children.close());
  const files = await startMedia(config, store, cluster.name !== 'local', children, clock, log, replaced.bytes);
  cluster.onReplaced(replacedBy.resolve);
  const passkeys = passkeysIn(store);
  const auditHeads = new AuditHeads();
  const secretRewrites = secretRewritesIn(store, () => clock.now());
  const messageSecrets = messageSecretsIn(store);
  const random = replaced.random ?? systemRandom;
  const { limits: counted = limitsOver(cluster, log), checkAnswers = false } = replaced;
  const limits = measuredLimits(counted, meters.limitRefusals);
  const services = startActors({
    config,
    clock,
    log,
    store,
    network,
    cluster,
    media: files.media,
    derived: files.derived,
    converter: files.converter,
    bytes: files.bytes,
    audit,
    auditLog,
    meters,
    limits,
    unknown,
    sealer,
    random,
    children,
    ...(replaced.egress && { outside: replaced.egress }),
  });
  const privacy = startPrivacy(store, services);
  const linksItself = config.network === 'sandbox' && (sandbox !== null || config.sandbox_url !== null);
  const http = await startHttp({
    config,
    clock,
    log,
    store,
    services,
    privacy,
    directFiles: files.directFiles,
    mediaUsage: files.mediaUsage,
    uploads: files.uploads,
    secrets,
    sandbox,
    limits,
    checkAnswers,
    auditHeads,
    meters,
    storeTimes: times,
    linksSender: linksItself,
  });
  await store.prepare();
  await takeOverAuditLogs(opened, sealer, secrets.audit, auditLog);
  await sealBareSecrets(secretRewrites, sealer);
  await http.start().catch((cause) => Promise.reject(portTaken(config, cause)));
  const address = config.base_url ?? http.url;
  await warnOfPasskeys(passkeys, address, log);
  cluster.announce({ address });
  await audit.recover(store.name === 'embedded' ? clock.now() + 1 : clock.now() - MAX_ACTION_MS);
  await services.start();
  void warnOfIsolation(children, log);
  const publishHeads = headPublisher({ auditLog, log, auditHeads, record: services.eventLog.record });
  const sweepOutboxes = createOutboxSweep(services);
  const sweepForgotten = createForgottenSweep(services);
  let sweeps = 0;
  const tidyUp = (now: number): Promise<unknown> => {
    sweeps += 1;
    return Promise.all([
      store.sweep(now),
      services.tidy(now),
      services.recount.continueAll(now).then(() => services.healthWatch.continueAll(now)),
      services.documents.resume(now),
      services.builds.continueAll(now),
      services.unknown.continueAll(now),
      sweeps % RECOVERED_EVERY === 0 && audit.recover(now - MAX_ACTION_MS),
      publishHeads(now),
      cutOperatorLog(auditLog, now),
      privacy.continueAll(now),
      services.securityWatch.continueAll(now),
      services.wakeDueAccounts(now),
      services.wakeOverdueSends(now),
      files.sweep(now),
      messageSecrets.forget(now - SECRET_KEPT_MS, SECRETS_FORGOTTEN),
      services.consentService.processOutbox(now - SWEEP_MS),
      expireWaiting(services, now),
      sweepForgotten(now),
      sweepOutboxes(now),
      services.removedDevices.finishAll(),
      endAbandonedRefunds(services, now),
    ]);
  };
  // Executes billing steps that an earlier process decided on, without waiting for the first sweep.
  await services
    .wakeDueAccounts(clock.now())
    .catch((cause) => log.warn({ event: 'sweep.failed', err: cause }, 'expired records could not be removed'));
  privacy.retaining.runAll(clock.now()).catch((cause) => log.warn({ event: 'sweep.failed', err: cause }, 'retention could not start'));
  // Resumes the work of a killed process, both now and after its claims have expired.
  const resume = (): void =>
    void privacy
      .continueAll(clock.now())
      .catch((cause) => log.warn({ event: 'sweep.failed', err: cause }, 'privacy work could not continue'));
  resume();
  const cancelResume = clock.after(CLAIM_MS + CLAIM_MS / 8, resume);
  const stopSweeping = sweepFromTimeToTime(tidyUp, clock, log);
  const stopLinking = linksItself ? linkSender(services.sender, { sandbox, url: config.sandbox_url, clock, log }) : () => {};
  const held = taken.move();

  return {
    get url() {
      return http.url;
    },
    log,
    secrets,
    actors: services.actors,
    http,
    live: services.live,
    sandbox,
    replaced: replacedBy.promise,
    async stop() {
      stopSweeping();
      cancelResume();
      stopLinking();
      const served = http.stop({ timeoutMs: DRAIN_MS });
      await services.leave(DRAIN_MS);
      await served;
      await network.shutdown();
      await services.closeBuilds();
      await held.disposeAsync();
    },
  };
}

/**
 * Warns if passkeys cannot work. Browsers create them only for host names, and offer a passkey only
 * on the host that created it.
 */
async function warnOfPasskeys(passkeys: Passkeys, address: string, log: Logger): Promise<void> {
  const host = relyingPartyAt(address)?.id ?? '';
  if (host === '')
    log.warn(
      { event: 'auth.passkeys_unavailable', address },
      `passkeys do not work at ${address}, because browsers require a host name. Set BASE_URL to one`,
    );
  const former = await passkeys.foreignHost(host);
  if (former === null) return;
  log.warn(
    { event: 'auth.passkey_host_changed', host, former },
    `passkeys were created for ${former} and do not work at ${address}. Restore BASE_URL, or register the passkeys again`,
  );
}

function portTaken({ host, metrics_port }: Config, cause: unknown): unknown {
  const code = codeOf(cause);
  const port = cause instanceof Error && 'port' in cause ? cause.port : undefined;
  const variable = port === metrics_port ? 'METRICS_PORT' : 'PORT';
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} of ${host} is already in use. Set ${variable} to another port, or stop the process that listens there.`);
  if (code === 'EACCES') return new Error(`This user cannot listen on port ${port} of ${host}. Set ${variable} to a number above 1023.`);
  return cause;
}

/** CPU time per owner and hour, which is enough for 150 Word documents or a thousand text files. */
const CPU_MS_AN_HOUR = 300_000;

function openChildren({ data_dir, node_id }: Config, clock: Clock): Promise<ChildProcesses> {
  return openChildProcesses({
    folder: `${data_dir}/jobs/${node_id}`,
    // These paths contain secrets and the data of all tenants.
    hidden: [data_dir, CONFIG_FILE],
    cpuMsAnHour: CPU_MS_AN_HOUR,
    clock,
  });
}

async function warnOfIsolation(children: ChildProcesses, log: Logger): Promise<void> {
  const isolation = await children.isolation().catch(() => null);
  if (isolation === null || (isolation.network === 'none' && isolation.files === 'hidden' && isolation.memory === 'watched')) return;
  log.warn(
    { event: 'children.not_isolated', ...isolation },
    'child processes that read files from outside are not fully isolated here: see "Isolation of child processes" in docs/deploy.md',
  );
}

/** A gateway on the real network loads neither the sandbox nor its official side. */
async function openSandbox(clock: Clock, random: Random): Promise<Sandbox> {
  const { createSandbox } = await import('../../actors/network/sandbox/sandbox.ts');
  return createSandbox({ clock, random });
}

function openNetwork(config: Config, clock: Clock, log: Logger, { unknownQueries }: Meters): Network {
  const { network, sandbox_url, whatsapp_url: url, whatsapp_root_key: rootKey, whatsapp_mex: mexIds, egress_allow } = config;
  switch (network) {
    case 'whatsapp': {
      const dial = guardedConnect({ allow: egress_allow, clock });
      const onUnknownQuery = (name: string): void => unknownQueries.add(name);
      return createWhatsApp({
        url,
        rootKey,
        mexIds,
        onUnknownQuery,
        catalog: openCatalog(config, clock, log),
        dial,
        clock,
        log,
      });
    }
    case 'sandbox':
      return connectSandbox({ url: present(sandbox_url, 'SANDBOX_URL'), clock });
  }
}

function openCatalog(config: Config, clock: Clock, log: Logger): CatalogClient | null {
  const { catalog_graphql_url: url, catalog_graphql_token: token, catalog_graphql_ids: ids } = config;
  return url !== null && token !== null ? createCatalogClient({ url, token, ids, egress: egressTo(url, clock), clock, log }) : null;
}

export async function openStore(config: Pick<Config, 'mongodb_url' | 'data_dir'>, log: Logger): Promise<Store> {
  if (!config.mongodb_url) return openEmbedded({ path: `${config.data_dir}/gateway.db`, log });
  const { openMongo } = await import('../../store/engines/mongo/mongo.ts');
  try {
    return await openMongo({ url: config.mongodb_url });
  } catch (cause) {
    throw new Error(`The server at MONGODB_URL does not respond: ${asError(cause).message}.`);
  }
}

/** Claims a shared store. An embedded store is already locked by its process. */
async function claim(config: Config, store: Store, clock: Clock, log: Logger, lost: () => void): Promise<() => Promise<void>> {
  if (store.name === 'embedded') return async () => {};
  return claimStore(store, { owner: config.redis_url ? CLUSTER : newId(clock.now()), clock, log, lost });
}

async function openCluster(config: Config, secret: string, clock: Clock, log: Logger): Promise<Cluster> {
  const { node_id: nodeId, redis_url: url, lease_ttl_ms: ttlMs } = config;
  if (!url) return localCluster({ nodeId, clock });
  const { redisCluster } = await import('../../runtime/cluster/redis/coordination.ts');
  return redisCluster({ url, secret, nodeId, boot: newId(clock.now()), ttlMs, clock, log });
}

function limitsOver(cluster: Cluster, log: Logger): Limits {
  const { counting } = cluster;
  if (!counting) return new LimitsInMemory();
  const failed = (cause: unknown): void =>
    log.warn({ event: 'limits.not_shared', err: cause }, 'limits are not counted across nodes; each node allows its share');
  return new LimitsOverNodes({ counting, nodes: () => cluster.members().length, failed });
}

function sweepFromTimeToTime(sweep: (now: number) => Promise<unknown>, clock: Clock, log: Logger): Cancel {
  let cancel: Cancel;
  const again = (): void => {
    cancel = clock.after(SWEEP_MS, () => {
      sweep(clock.now()).catch((cause) => log.warn({ event: 'sweep.failed', err: cause }, 'expired records could not be removed'));
      again();
    });
  };
  again();
  return () => cancel();
}
