/**
 * The cluster port: membership, leases and messages between nodes. Implementations:
 * `local-cluster.ts` (a single node) and `redis/coordination.ts`. Neither is a source of truth:
 * epochs live in the store, and a lease that cannot be proven counts as lost.
 */
export interface Cluster {
  readonly name: 'local' | 'redis';
  readonly self: NodeName;
  /** Joins the cluster; resolves once the other nodes can see this one. Rejects after 5 s. */
  start(): Promise<void>;
  /** Releases all leases, then ends the membership, then closes. Safe to call twice. */
  leave(): Promise<void>;
  /** The live nodes as last reported, self included, sorted by id. */
  members(): readonly Member[];
  onMembers(listener: (members: readonly Member[]) => void): void;
  /** Called once when a younger process runs under this NODE_ID; this process must give way. */
  onReplaced(listener: () => void): void;
  announce(change: Partial<Pick<Member, 'state' | 'store' | 'load' | 'address'>>): void;
  readonly leases: Leases;
  readonly wire: Wire;
  /** Counters shared by all nodes; null when this node is alone and counts locally. */
  readonly counting: Counting | null;
  /** Rejects while the coordination service does not answer. Used by /ready. */
  ping(): Promise<void>;
}

/** A node and its boot. After a restart, the node counts as a different owner. */
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
  /** Absent when the node does not report it. */
  readonly store?: StoreReach;
  readonly load: Readonly<Record<string, number>>;
}

/** `stepped_down`: the store answers another node but not this one, which then does not run actors. */
export type StoreReach = 'answers' | 'doubtful' | 'stepped_down';

export const takesActors = ({ state, store }: Pick<Member, 'state' | 'store'>): boolean => state === 'active' && store !== 'stepped_down';

export interface Leases {
  /**
   * Acquires a lease, or returns the same lease if this node already holds it. Null if another node
   * holds it, if this node has stepped down, or if the holder is unknown (for example soon after
   * Redis started).
   */
  acquire(key: string): Promise<Lease | null>;
  /**
   * Releases a lease (compare-and-delete). Never rejects: a lease that could not be released
   * expires by itself.
   */
  release(lease: Lease): Promise<void>;
  /**
   * Returns the node that holds each lease; null if it is free or held by an earlier boot. Rejects
   * with UNAVAILABLE if unknown.
   */
  holders(keys: readonly string[]): Promise<readonly (string | null)[]>;
  held(): readonly Lease[];
}

/** The right to run one actor, renewed every third of its lifetime. */
export interface Lease {
  readonly key: string;
  /**
   * Whether no other node can hold the lease yet, by the monotonic clock. False from (lifetime −
   * margin) after the last successful renewal was SENT, and then for good.
   */
  isSafe(): boolean;
  /** Called once when the lease is lost or in doubt; not after `release`. */
  onLost(listener: () => void): void;
}

/** A limit of `max` calls under `key` within any `windowMs`. */
export interface SlidingWindow {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

export interface Counted {
  /**
   * Whether the call was counted. False if a window was full; the call is then not counted in any
   * of its windows.
   */
  readonly ok: boolean;
  readonly remaining: number;
  /** Time in ms until the next slot frees. If the window was full, waiting this long is enough. */
  readonly resetMs: number;
}

/** Counters shared by all nodes, by Redis's clock. A count counts as unknown after 250 ms. */
export interface Counting {
  /**
   * Counts one call in all windows, or in none if one of them is full. Null, or rejects with
   * `LateCount`, if the count is unknown.
   */
  count(windows: readonly SlidingWindow[]): Promise<readonly Counted[]> | null;
  /**
   * Takes or extends one of `most` seats for `ttlMs`. Returns false if all seats are taken; `most`:
   * null for no limit.
   */
  acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean>;
  releaseSeat(room: string, seat: string): Promise<void>;
}

/** Messages between nodes, delivered at most once. Everything that matters is in the store. */
export interface Wire {
  /**
   * Sends a request to a node and resolves with the handler's answer (undefined arrives as null).
   * Rejects with:
   * - the handler's Refusal, with code and details
   * - TIMED_OUT
   * - UNAVAILABLE: the node is unknown, or left in the meantime
   * - OVERLOADED: 1,000 of our requests to it are unanswered, or too many of one `share` (100 if
   *   only one share is active, fewer if several are, 900 of all shares)
   * - PAYLOAD_TOO_LARGE: request or answer over 1 MiB
   * - INTERNAL: the handler threw something else
   */
  ask(nodeId: string, body: unknown, timeoutMs: number, share?: string | null): Promise<unknown>;
  /** Sends a one-way message. Throws PAYLOAD_TOO_LARGE, like `broadcast`. */
  tell(nodeId: string, body: unknown): void;
  /** Sends a hint to every node, including this one. */
  broadcast(topic: string, body: unknown): void;
  onBroadcast(topic: string, listener: (body: unknown, from: string) => void): void;
  serve(handler: (body: unknown, from: string) => Promise<unknown>): void;
}

/**
 * The few atomic operations that the cluster needs from Redis, so that the protocol can also run against a
 * simulation. Every method rejects if there is no response in time; it is then unknown whether the
 * operation took effect or still will.
 *
 * A holder is written `<node>/<boot>/<n>.<at>`: the owner (up to the second slash), the number of
 * the acquisition and its time (epoch ms). A late release therefore cannot remove a lease that the
 * same owner has acquired again.
 */
export interface Coordination {
  /**
   * Writes our heartbeat and returns all live members. Does not write if a younger boot runs under
   * our id, unless `isForced` says that this boot is not genuine.
   */
  beat(member: Member, ttlMs: number, isForced?: boolean): Promise<readonly Member[]>;
  part(self: NodeName): Promise<void>;
  /**
   * Sets `key` if it is free. Returns the holder, or '' if the holder is invalid. Null if the
   * service lost its memory less than `ttlMs` ago, so that another node may still rely on a
   * forgotten lease.
   */
  acquire(key: string, holder: string, ttlMs: number): Promise<string | null>;
  /** Sets `key` to `holder` if its value is still `found`. Returns whether it was set. */
  replace(key: string, found: string, holder: string, ttlMs: number): Promise<boolean>;
  /**
   * Returns `true` for each extended lease, otherwise its holder: null if the lease is free, '' if
   * the holder is invalid. At most 1,000 leases per call.
   */
  renew(leases: readonly HeldBy[], ttlMs: number): Promise<readonly Renewal[]>;
  release(leases: readonly HeldBy[]): Promise<void>;
  /**
   * Returns the holder of each lease: null if it is free, '' if the holder is invalid. At most
   * 1,000 keys per call.
   */
  holders(keys: readonly string[]): Promise<readonly (string | null)[]>;
  /** Counts each call in all of its windows, or in none if one of them is full. At most 500 calls at once. */
  count(calls: readonly (readonly SlidingWindow[])[]): Promise<readonly (readonly Counted[])[]>;
  acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean>;
  releaseSeat(room: string, seat: string): Promise<void>;
  publish(channel: string, text: string): Promise<number>;
  /**
   * Subscribes to a channel, which has one receiver: the last one passed. If this takes too long,
   * the call rejects, but the subscription is still made when possible. Messages sent in the
   * meantime are lost.
   */
  subscribe(channel: string, receive: (text: string) => void): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type Renewal = true | string | null;

export interface HeldBy {
  readonly key: string;
  readonly holder: string;
}

/** The logger of the cluster; compatible with a pino logger. */
export interface ClusterLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
