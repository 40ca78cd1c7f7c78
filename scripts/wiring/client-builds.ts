/**
 * Tracks the client build that devices announce to the network. The record is in the store. A change is
 * broadcast, and every node rereads the record.
 */

import type { Logger } from 'pino';
import type { DeviceCommand } from '../../actors/device/protocol.ts';
import { buildIn } from '../../actors/domain/client-build.ts';
import type { Network } from '../../actors/network/port.ts';
import { BUILD_PAGE, type BuildPage, createBuildPage } from '../../actors/services/client-build/build-page.ts';
import { type ClientBuildService, createClientBuildService } from '../../actors/services/client-build/client-build.ts';
import type { ActorSystem } from '../../runtime/actor-system/system.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Cluster } from '../../runtime/cluster/port.ts';
import { createEgress, egressTo } from '../../runtime/egress/egress.ts';
import { clientBuildsIn } from '../../store/devices/client-build.ts';
import type { Store } from '../../store/port.ts';
import type { Config } from './config.ts';

export interface ClientBuildParts {
  readonly config: Config;
  readonly network: Network;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly actors: ActorSystem;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ClientBuildServices {
  readonly builds: ClientBuildService;
  closeBuilds(): Promise<void>;
}

const CHANGED = 'network.build_changed';

export function startClientBuilds({ config, network, store, cluster, actors, clock, log }: ClientBuildParts): ClientBuildServices {
  const page = pageOf(config, clock);
  const builds = createClientBuildService({
    rows: clientBuildsIn(store),
    settings: { pinned: config.whatsapp_version === 'auto' ? null : buildIn(config.whatsapp_version), canaries: config.whatsapp_canary },
    readPage: page?.read ?? (network.readBuildPage ? () => network.readBuildPage?.() ?? Promise.reject(new Error('no page')) : null),
    clock,
    log,
    broadcast: () => cluster.wire.broadcast(CHANGED, null),
    nudge(sessionId) {
      for (const id of actors.awake('device')) if (sessionId === null || id.endsWith(`.${sessionId}`)) hint(actors, id);
    },
  });
  cluster.wire.onBroadcast(CHANGED, () =>
    builds
      .changed()
      .catch((cause) =>
        log.warn({ event: 'network.build_delayed', err: cause }, 'a change of the client build will be noticed at the next sweep'),
      ),
  );
  return {
    builds,
    async closeBuilds() {
      await page?.close();
      await builds.idle();
    },
  };
}

/** Returns null for a gateway that uses a test peer and must not contact the real network. */
function pageOf({ network, whatsapp_url, whatsapp_version_url: url }: Config, clock: Clock): BuildPage | null {
  if (url !== null) return createBuildPage(url, egressTo(url, clock), clock);
  return network === 'whatsapp' && whatsapp_url === null ? createBuildPage(BUILD_PAGE, createEgress({ allow: [], clock }), clock) : null;
}

function hint(actors: ActorSystem, id: string): void {
  try {
    actors.ref<DeviceCommand>('device', id).tell({ type: 'buildChanged' });
  } catch {
    // The device's mailbox is full. The device retries a refused login within the hour.
  }
}
