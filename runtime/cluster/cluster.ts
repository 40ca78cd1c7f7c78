import type { Clock } from '../clock.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { Membership } from './membership.ts';
import { NodeMessaging } from './node-messaging.ts';
import type { Cluster, ClusterLog, Coordination, NodeName } from './port.ts';
import { BatchedCounting } from './shared-counters.ts';

export interface ClusterOptions {
  readonly nodeId: string;
  /** Which start of the node this is; no two are the same. No slash in either. */
  readonly boot: string;
  /** Life of a lease and of a heartbeat; both are renewed at a third of it. The same on every node. */
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

/** The cluster protocol of one node, over Redis or a simulation of it. */
export function createCluster(coordination: Coordination, { nodeId, boot, ...options }: ClusterOptions): Cluster {
  const self = { id: nodeId, boot };
  const membership = new Membership(coordination, { self, ...options });
  const isOut = (): boolean => membership.self.store === 'stepped_down';
  const isReplaced = ({ id, boot }: NodeName): boolean => (membership.find(id)?.boot ?? boot) !== boot;
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
