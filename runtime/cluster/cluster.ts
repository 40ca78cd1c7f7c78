import type { Clock } from '../clock.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { nameOf, takenAt } from './lease-owner.ts';
import { Membership } from './membership.ts';
import { NodeMessaging } from './node-messaging.ts';
import type { Cluster, ClusterLog, Coordination } from './port.ts';
import { BatchedCounting } from './shared-counters.ts';

export interface ClusterOptions {
  readonly nodeId: string;
  /** Identifies one run of the node: each start has a new value. Must not contain a slash. */
  readonly boot: string;
  /** Must be the same on every node. */
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

export function createCluster(coordination: Coordination, { nodeId, boot, ...options }: ClusterOptions): Cluster {
  const self = { id: nodeId, boot };
  const membership = new Membership(coordination, { self, ...options });
  const isOut = (): boolean => membership.self.store === 'stepped_down';
  // Whether the lease belongs to an earlier process of a node that has restarted.
  const isReplaced = (holder: string): boolean => {
    const { id, boot } = nameOf(holder);
    const member = membership.find(id);
    return member !== undefined && member.boot !== boot && !(takenAt(holder) >= member.started_at);
  };
  const keeper = new LeaseKeeper(coordination, { self, isOut, isReplaced, ...options });
  const wire = new NodeMessaging(coordination, membership, { self, ...options });
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
    onMembers: (listener) => membership.onMembers(listener),
    onReplaced: (listener) => membership.onReplaced(listener),
    announce: (change) => membership.announce(change),
    leases: keeper,
    wire,
    counting: new BatchedCounting(coordination, options.clock),
    ping: () => coordination.ping(),
  };
}
