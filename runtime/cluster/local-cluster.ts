import type { Clock } from '../clock.ts';
import { newId } from '../ids.ts';
import { NodeMessaging } from './node-messaging.ts';
import type { Cluster, ClusterLog, Lease, Leases, Member } from './port.ts';

export interface LocalOptions {
  readonly nodeId: string;
  readonly clock: Clock;
  readonly log?: ClusterLog;
}

const silent: ClusterLog = { info() {}, warn() {}, error() {} };
const nobodyElse = {
  bus: { publish: async () => 0, subscribe: async () => {} },
  directory: { find: () => undefined, onMembers() {} },
};

export function localCluster({ nodeId, clock, log = silent }: LocalOptions): Cluster {
  const startedAt = clock.now();
  const self = { id: nodeId, boot: newId(startedAt) };
  const leases = new LocalLeases(nodeId);
  const wire = new NodeMessaging(nobodyElse.bus, nobodyElse.directory, { self, clock, log });
  const listeners: ((members: readonly Member[]) => void)[] = [];
  let member: Member = { ...self, address: '', started_at: startedAt, heartbeat_at: startedAt, state: 'active', load: {} };
  const members = (): readonly Member[] => [{ ...member, heartbeat_at: clock.now() }];

  return {
    name: 'local',
    self,
    start: async () => {},
    async leave() {
      await leases.releaseAll();
      wire.close();
    },
    members,
    onMembers: (listener) => void listeners.push(listener),
    onReplaced() {},
    announce(change) {
      const { state, address } = member;
      member = { ...member, ...change };
      if (member.state !== state || member.address !== address) for (const listener of listeners) listener(members());
    },
    leases,
    wire,
    counting: null,
    ping: async () => {},
  };
}

class LocalLease implements Lease {
  readonly key: string;
  isReleased = false;

  constructor(key: string) {
    this.key = key;
  }

  isSafe(): boolean {
    return !this.isReleased;
  }

  onLost(): void {}
}

class LocalLeases implements Leases {
  readonly #nodeId: string;
  readonly #held = new Map<string, LocalLease>();
  #isClosed = false;

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  async acquire(key: string): Promise<Lease | null> {
    if (this.#isClosed) return null;
    const lease = this.#held.get(key) ?? new LocalLease(key);
    this.#held.set(key, lease);
    return lease;
  }

  async release(lease: Lease): Promise<void> {
    if (!(lease instanceof LocalLease)) return;
    lease.isReleased = true;
    if (this.#held.get(lease.key) === lease) this.#held.delete(lease.key);
  }

  async holders(keys: readonly string[]): Promise<readonly (string | null)[]> {
    return keys.map((key) => (this.#held.has(key) ? this.#nodeId : null));
  }

  held(): readonly Lease[] {
    return [...this.#held.values()];
  }

  async releaseAll(): Promise<void> {
    this.#isClosed = true;
    for (const lease of this.#held.values()) await this.release(lease);
  }
}
