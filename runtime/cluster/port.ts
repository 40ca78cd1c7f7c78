/**
 * The cluster port: membership, leases and messages between nodes. Implementations:
 * `local-cluster.ts` (a single node) and `redis/coordination.ts`. Neither is a source of truth:
 * epochs live in the store, and a lease that cannot be proven to be held is treated as lost.
 */

export interface Cluster {
  readonly name: 'local' | 'redis';
  readonly self: NodeName;
  start(): Promise<void>;
  /** Releases all leases, leaves the cluster and closes all connections. Safe to call twice. */
  leave(): Promise<void>;
  members(): readonly Member[];
  onMembers(listener: (members: readonly Member[]) => void): void;
  /** Called once when a newer process runs under this NODE_ID; this process must then stop. */
  onReplaced(listener: () => void): void;
  announce(change: Partial<Pick<Member, 'state' | 'store' | 'load' | 'address'>>): void;
  readonly leases: Leases;
  readonly wire: Wire;
  /** Null if this is the only node, which then counts locally. */
  readonly counting: Counting | null;
  ping(): Promise<void>;
}

/** A restarted node has a new `boot` and is treated as a different owner. */
export interface NodeName {
  readonly id: string;
  readonly boot: string;
}

export interface Member {
  readonly id: string;
  readonly boot: string;
  readonly address: string;
  readonly started_at: number;
  readonly heartbeat_at: number;
  readonly state: 'active' | 'draining';
  readonly store?: StoreReach;
  readonly load: Readonly<Record<string, number>>;
}

/** `stepped_down`: the store answers another node but not this one, which therefore runs no actors. */
export type StoreReach = 'answers' | 'doubtful' | 'stepped_down';

export const takesActors = ({ state, store }: Pick<Member, 'state' | 'store'>): boolean => state === 'active' && store !== 'stepped_down';

export interface Leases {
  /** Null if another node holds the lease, this node has stepped down, or the holder is unknown. */
  acquire(key: string): Promise<Lease | null>;
  /** Never rejects, because a lease that could not be released expires by itself. */
  release(lease: Lease): Promise<void>;
  /** Null if the lease is free or held by a node's earlier process. Rejects with UNAVAILABLE if unknown. */
  holders(keys: readonly string[]): Promise<readonly (string | null)[]>;
  held(): readonly Lease[];
}

export interface Lease {
  readonly key: string;
  /** Permanently false once (lifetime − margin) has passed since the last successful renewal was SENT. */
  isSafe(): boolean;
  onLost(listener: () => void): void;
}

export interface SlidingWindow {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

export interface Counted {
  /** False if one of the windows was full. The call is then not counted in any of them. */
  readonly ok: boolean;
  readonly remaining: number;
  /** Ms until the next slot becomes free, which is long enough to wait if the window was full. */
  readonly resetMs: number;
}

export interface Counting {
  /**
   * Rejects with `LateCount` if counting fails or takes more than 250 ms. For the next second,
   * calls return null.
   */
  count(windows: readonly SlidingWindow[]): Promise<readonly Counted[]> | null;
  /** Takes or extends one of `most` seats (null for no limit). Returns false if all seats are taken. */
  acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean>;
  releaseSeat(room: string, seat: string): Promise<void>;
}

/** Messages between nodes, delivered at most once. Important data is always in the store. */
export interface Wire {
  /** Rejects with the handler's Refusal, TIMED_OUT, UNAVAILABLE, OVERLOADED, PAYLOAD_TOO_LARGE, INTERNAL. */
  ask(nodeId: string, body: unknown, timeoutMs: number, share?: string | null): Promise<unknown>;
  tell(nodeId: string, body: unknown): void;
  broadcast(topic: string, body: unknown): void;
  onBroadcast(topic: string, listener: (body: unknown, from: string) => void): void;
  serve(handler: (body: unknown, from: string) => Promise<unknown>): void;
}

/**
 * Atomic Redis operations. A rejected operation may still have taken effect. A holder has the form
 * `<node>/<boot>/<n>.<at>`.
 */
export interface Coordination {
  /** Writes our heartbeat. A newer process's entry for our id is kept unless it is forged (`isForced`). */
  beat(member: Member, ttlMs: number, isForced?: boolean): Promise<readonly Member[]>;
  part(self: NodeName): Promise<void>;
  /**
   * Acquires a free lease and returns its holder, or '' if the stored holder is invalid. Returns
   * null during `ttlMs` after Redis may have lost data.
   */
  acquire(key: string, holder: string, ttlMs: number): Promise<string | null>;
  replace(key: string, found: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Returns true for each extended lease, otherwise its holder as in `holders`. At most 1,000 leases. */
  renew(leases: readonly HeldBy[], ttlMs: number): Promise<readonly Renewal[]>;
  release(leases: readonly HeldBy[]): Promise<void>;
  /** Null if the lease is free, '' if the holder is invalid. At most 1,000 keys per call. */
  holders(keys: readonly string[]): Promise<readonly (string | null)[]>;
  /** Accepts at most 500 calls. */
  count(calls: readonly (readonly SlidingWindow[])[]): Promise<readonly (readonly Counted[])[]>;
  acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean>;
  releaseSeat(room: string, seat: string): Promise<void>;
  publish(channel: string, text: string): Promise<number>;
  /** Replaces the channel's receiver. If the call rejects, the next connection subscribes again. */
  subscribe(channel: string, receive: (text: string) => void): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type Renewal = true | string | null;

export interface HeldBy {
  readonly key: string;
  readonly holder: string;
}

export interface ClusterLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
