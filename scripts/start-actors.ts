import { weigh } from '../actors/device/weight.ts';
import { createOperations, type Operations } from '../actors/operations.ts';
import { createSender, type Sender } from '../actors/sender.ts';
import { Steward, type Wanted } from '../runtime/cluster/steward.ts';
import { type DeviceWorld, startDevices } from './start-devices.ts';
import { type FeatureWorld, startFeatures } from './start-features.ts';
import { type ActorParts, type Ground, startGround } from './start-ground.ts';

/** The behaving part of a node and the repositories that it shares with HTTP. */
export interface ActorWorld extends Ground, FeatureWorld, DeviceWorld {
  readonly steward: Steward;
  readonly operations: Operations;
  readonly sender: Sender;
  /** Joins the cluster, which brings online what should be. */
  start(): Promise<void>;
  /** The tenant's settings changed: running devices and campaigns hear of it. */
  settingsChanged(tenantId: string): void;
  /** Gives every actor away once its acks are in, or after `timeoutMs`, and leaves the cluster. */
  leave(timeoutMs: number): Promise<void>;
}

/** A node that is alone looks only for actors that were given up: five times as seldom as this (see Steward). */
const ALONE_MS = 6_000;

export function startActors(parts: ActorParts): ActorWorld {
  const ground = startGround(parts);
  const features = startFeatures(ground);
  const deviceWorld = startDevices(ground, { ...features, record: features.eventLog.record });
  const { clock, cluster, everywhere, devices, device, fleet } = ground;
  const now = (): number => clock.now();
  const steward = stewardOf(ground, features);

  return {
    ...ground,
    ...features,
    ...deviceWorld,
    steward,
    operations: createOperations({ cluster, everywhere, steward, fleet, wantedBlasts: features.wantedBlasts, now }),
    sender: createSender({ devices, device, now }),

    async start() {
      await cluster.start();
      steward.start();
    },

    settingsChanged(tenantId) {
      features.blastsChanged(tenantId);
      deviceWorld.paceChanged(tenantId);
    },

    async leave(timeoutMs) {
      steward.stop();
      cluster.announce({ state: 'draining' });
      features.live.close();
      // Who fills the lanes goes first.
      for (const kind of ['blast', 'device', 'clerk']) await everywhere.giveAway(kind, timeoutMs);
      await features.importReader.close();
      await features.regexCheck.close();
      await features.leaveTenants(timeoutMs);
      steward.notify();
      await ground.actors.shutdown();
      await cluster.leave();
    },
  };
}

/** Looks after everything that should run somewhere. */
function stewardOf({ config, clock, log, cluster, everywhere, fleet }: Ground, features: FeatureWorld): Steward {
  return new Steward(
    {
      cluster,
      actors: everywhere,
      clock,
      async wanted(): Promise<readonly Wanted[]> {
        const { wantedTenants, wantedBlasts, clerksWanted } = features;
        const [online, untold, ...others] = await Promise.all([
          fleet.wanted(),
          fleet.untold(),
          wantedTenants(),
          wantedBlasts(),
          clerksWanted(),
        ]);
        return [...[...online, ...untold].map((berth) => weigh(berth, clock.now())), ...others.flat()];
      },
      failed: (cause) => log.warn({ err: cause }, 'the cluster could not be looked after; it is tried again'),
    },
    { everyMs: cluster.name === 'local' ? ALONE_MS : config.steward_ms, mostMoves: config.moves_at_once },
  );
}
