import { createSender, type Sender } from '../../actors/services/accounts/platform-sender.ts';
import { createPublicationKeeper } from '../../actors/services/channels/publications.ts';
import { createFactKeeper } from '../../actors/services/facts/keep-facts.ts';
import { createAnswerKeeper } from '../../actors/services/groups/group-answers.ts';
import { createOperations, type Operations } from '../../actors/services/operations/operations.ts';
import { Rebalancer } from '../../runtime/cluster/rebalancer.ts';
import { StoreWatch } from '../../runtime/cluster/store-watch.ts';
import { startCallRejection } from './calls.ts';
import { type DeviceServices, startDevices } from './devices.ts';
import { type FeatureServices, startFeatures } from './features.ts';
import { type OfficialServices, startOfficial } from './official.ts';
import { type ActorParts, openSharedDeps, type SharedDeps } from './shared-deps.ts';

export interface ActorServices extends SharedDeps, FeatureServices, DeviceServices, OfficialServices {
  readonly rebalancer: Rebalancer;
  readonly operations: Operations;
  readonly sender: Sender;
  start(): Promise<void>;
  settingsChanged(tenantId: string): void;
  suspensionChanged(tenantId: string): Promise<void>;
  /** Drains this node's actors (at most `timeoutMs` for each kind), then leaves the cluster. */
  leave(timeoutMs: number): Promise<void>;
}

/** Poll interval of a single node, which only has to find actors that have stopped permanently. */
const ALONE_MS = 6_000;

/** Longer than a device needs to disconnect. */
const CLOSING_MS = 5_000;

export function startActors(parts: ActorParts): ActorServices {
  const shared = openSharedDeps(parts);
  const features = startFeatures(shared, (job) => official.syncTemplates(job));
  const { record } = features.eventLog;
  const keepFacts = createFactKeeper({ ...features, record });
  const keepAnswer = createAnswerKeeper(features);
  const publications = createPublicationKeeper({ ...shared, ...features, record, now: () => shared.clock.now() });
  const onCall = startCallRejection(shared, features);
  const official = startOfficial(shared, features);
  const deviceServices = startDevices(shared, {
    ...{ ...features, record, keepFacts, keepAnswer, publications, onCall },
    officialDriver: official.officialDriver,
    forgetHooks: official.officialHooks.forget,
  });
  const { clock, cluster, everywhere, devices, device, deviceDirectory } = shared;
  const now = (): number => clock.now();
  const rebalancer = rebalancerOf(shared);
  const storeWatch = storeWatchOf(shared, rebalancer);

  return {
    ...shared,
    ...features,
    ...official,
    ...deviceServices,
    rebalancer,
    operations: createOperations({ cluster, everywhere, rebalancer, deviceDirectory, now }),
    sender: createSender({ devices, device, now }),

    async start() {
      await cluster.start();
      storeWatch?.start();
      rebalancer.start();
    },

    settingsChanged(tenantId) {
      features.campaignsChanged(tenantId);
      deviceServices.paceChanged(tenantId);
    },

    async suspensionChanged(tenantId) {
      features.campaignsChanged(tenantId);
      await features.wakeups.put(tenantId, now(), 'sends');
      features.tenantHints.eventsArrived(tenantId);
    },

    async leave(timeoutMs) {
      rebalancer.stop();
      storeWatch?.stop();
      cluster.announce({ state: 'draining' });
      features.live.close();
      await everywhere.evictEverything(timeoutMs);
      await features.closeReader();
      await parts.children.close();
      await features.regexCheck.close();
      await features.knowledge.close();
      await features.closeEngine();
      await features.closeWebhooks();
      await everywhere.shutdown(CLOSING_MS);
      rebalancer.notify();
      await cluster.leave();
    },
  };
}

/** Returns null on a single node, which cannot step down in favor of another. */
function storeWatchOf({ config, clock, log, cluster, everywhere, store }: SharedDeps, rebalancer: Rebalancer): StoreWatch | null {
  if (cluster.name === 'local') return null;
  return new StoreWatch({
    cluster,
    clock,
    log,
    ping: () => store.ping(),
    ttlMs: config.lease_ttl_ms,
    async stepDown() {
      // Allows no time for draining, because a drain would wait for writes to the unreachable store.
      await everywhere.evictEverything(0);
      rebalancer.notify();
    },
  });
}

function rebalancerOf({ config, clock, log, cluster, everywhere, meters }: SharedDeps): Rebalancer {
  return new Rebalancer(
    {
      cluster,
      actors: everywhere,
      clock,
      seen(homeless) {
        meters.homeless = homeless;
      },
      failed: (cause) => log.warn({ event: 'cluster.rebalance_failed', err: cause }, 'the rebalance failed; it will be retried'),
    },
    { everyMs: cluster.name === 'local' ? ALONE_MS : config.rebalance_ms, mostMoves: config.max_moves },
  );
}
