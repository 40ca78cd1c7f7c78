import type { Clock } from '../clock.ts';
import { CountingTogether } from './counting.ts';
import { Keeper } from './keeper.ts';
import { Membership } from './membership.ts';
import type { Cluster, ClusterLog, Coordination } from './port.ts';
import { Switchboard } from './wire.ts';

export interface ClusterOptions {
  readonly nodeId: string;
  /** Which start of the node this is; no two are the same. No slash in either. */
  readonly boot: string;
  /** Life of a lease and of a heartbeat; both are renewed at a third of it. The same on every node. */
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

/** The cluster protocol of one node (design.md "Who owns an actor"), over Redis or whatever stands for it. */
export function clusterOver(coordination: Coordination, { nodeId, boot, ...options }: ClusterOptions): Cluster {
  const self = { id: nodeId, boot };
  const membership = new Membership(coordination, { self, ...options });
  const keeper = new Keeper(coordination, { self, ...options });
  const wire = new Switchboard(coordination, membership, { self, ...options });
  let leaving: Promise<void> | null = null;

  async function leave(): Promise<void> {
    await keeper.close();
    await membership.part();
    wire.close();
    await coordination.close();
  }

  return {
    name: 'redis',
    self,
    start: () => membership.join(() => wire.open()),
    leave() {
      leaving ??= leave();
      return leaving;
    },
    members: () => membership.members,
    onMembers: (hear) => membership.onMembers(hear),
    onReplaced: (hear) => membership.onReplaced(hear),
    announce: (change) => membership.announce(change),
    leases: keeper,
    wire,
    counting: new CountingTogether(coordination, options.clock),
    ping: () => coordination.ping(),
  };
}
