/**
 * The cluster port: who else is there, who may run what, and how nodes talk. Implementations: `local-cluster.ts` (a single node)
 * and `redis/coordination.ts`. Neither is ever asked for truth: epochs live in the store, and a lease that cannot be proven is lost.
 */
export interface Cluster {
  readonly name: 'local' | 'redis';
  readonly self: NodeName;
  /** Joins; resolves once this node is visible to the others. Rejects when that is not possible within 5 s. */
  start(): Promise<void>;
  /** Gives up every lease and membership, in that order, and closes. Safe to call twice. */
  leave(): Promise<void>;
  /** The live nodes as last reported, self included, sorted by id. */
  members(): readonly Member[];
  /** Called after each change of members or of their state. */
  onMembers(listener: (members: readonly Member[]) => void): void;
  /** Called once when a younger process runs under the NODE_ID of this one: this one has to give way. */
  onReplaced(listener: () => void): void;
  /** Changes the data that the next heartbeats carry. */
  announce(change: Partial<Pick<Member, 'state' | 'store' | 'load' | 'address'>>): void;
  readonly leases: Leases;
  readonly wire: Wire;
  /** Counters over all nodes; null: this node is alone and counts for itself. */
  readonly counting: Counting | null;
  /** Rejects while the coordination service does not answer. For /ready. */
  ping(): Promise<void>;
}

/** A node as an owner: its NODE_ID, and which start of it, because a restart is another owner. */
export interface NodeName {
  readonly id: string;
  readonly boot: string;
}

export interface Member {
  readonly id: string;
  readonly boot: string;
  /** Where its HTTP listens. */
  readonly address: string;
  /** Epoch ms. */
  readonly started_at: number;
  readonly heartbeat_at: number;
  readonly state: 'active' | 'draining';
  /** Absent: it cannot say. */
  readonly store?: StoreReach;
  /** Its load by name, for operators and placement. */
  readonly load: Readonly<Record<string, number>>;
}

/**
 * Whether the store answers a node. `stepped_down`: it does not answer this node while it answers another one, so this node runs nothing and
 * takes no lease (`store-watch.ts`).
 */
export type StoreReach = 'answers' | 'doubtful' | 'stepped_down';

/** May actors be given to it? */
export const takesActors = ({ state, store }: Pick<Member, 'state' | 'store'>): boolean => state === 'active' && store !== 'stepped_down';

export interface Leases {
  /**
   * Takes a free lease; one that this node holds already is given again, the same. Null: another holds it, or nobody can say, as for one
   * lease life after Redis was started, replaced or flushed, or this node has stepped down.
   */
  acquire(key: string): Promise<Lease | null>;
  /** Compare-and-delete. Never rejects: a lease that could not be released runs out by itself. */
  release(lease: Lease): Promise<void>;
  /** The current holders of these keys: node ids, null where free, or held by a start of a node that has been started again since. Rejects with Refusal UNAVAILABLE when that is unknown. */
  holders(keys: readonly string[]): Promise<readonly (string | null)[]>;
  held(): readonly Lease[];
}

/** The right to run one actor, for a while. Renewed by itself at a third of its life, all of a node's in one call per 1,000. */
export interface Lease {
  readonly key: string;
  /**
   * Is it certain, by the monotonic clock, that nobody else can hold it yet? Asked before every effect on the outside world. False
   * from (life − margin) after the last renewal that was answered with yes was SENT; once false or lost it never becomes true again.
   */
  isSafe(): boolean;
  /** Received once, when it is lost or in doubt: stop at once. Not after `release`. */
  onLost(listener: () => void): void;
}

/** In any `windowMs`, at most `max` calls under `key`. */
export interface SlidingWindow {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

/** The result of one call against a window. */
export interface Counted {
  /** False: it was full, and the call counts in none of its windows. */
  readonly ok: boolean;
  /** Calls that still fit after this one. */
  readonly remaining: number;
  /** Until the next place frees, in ms. Where it was full, waiting this long suffices. */
  readonly resetMs: number;
}

/** Counts that hold over all nodes, by the one clock of the coordination service. It never keeps anybody waiting: what it cannot say soon, it does not say. */
export interface Counting {
  /** Counts one call in all of these windows or in none. Null, or a rejection within 250 ms (`LateCount`): unknown at the moment. */
  count(windows: readonly SlidingWindow[]): Promise<readonly Counted[]> | null;
  /** Takes a seat in a room of at most `most` seats for `ttlMs`, or prolongs it; false: no seat is free. `most` null: no limit. */
  acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean>;
  releaseSeat(room: string, seat: string): Promise<void>;
}

/** Messages between nodes: JSON, at most once, bounded. They only save time; everything that matters is in the store. */
export interface Wire {
  /**
   * Asks a node; resolves with its handler's answer (undefined arrives as null). Rejects with the handler's Refusal (code and details), TIMED_OUT,
   * UNAVAILABLE (no such node, or it went away meanwhile), OVERLOADED (1,000 of our questions to it are unanswered, or too many of one `share`:
   * 100 where no other asks, fewer where others do, 900 of all), PAYLOAD_TOO_LARGE (question or answer over 1 MiB), INTERNAL (the handler threw
   * something else).
   */
  ask(nodeId: string, body: unknown, timeoutMs: number, share?: string | null): Promise<unknown>;
  /** Fire and forget. Throws Refusal PAYLOAD_TOO_LARGE, as `broadcast` does. */
  tell(nodeId: string, body: unknown): void;
  /** To every node, self included. Only ever a hint. */
  broadcast(topic: string, body: unknown): void;
  onBroadcast(topic: string, listener: (body: unknown, from: string) => void): void;
  /** The one handler of requests from other nodes. */
  serve(handler: (body: unknown, from: string) => Promise<unknown>): void;
}

/**
 * The few atomic operations that the cluster needs of Redis, so that the protocol around them can also run against a
 * simulated one. Every method rejects when no answer came in time; whether it took effect, or still will, is then unknown.
 *
 * A holder is written `<node>/<boot>/<n>.<at>`: its owner (up to the second slash), and which taking of a lease this was and when (epoch ms),
 * so that a release that arrives late cannot take away what the same owner took again since.
 */
export interface Coordination {
  /**
   * Writes our heartbeat (gone after `ttlMs`), unless a younger boot runs under our id or `isForced` says that this is none, and answers all
   * live members.
   */
  beat(member: Member, ttlMs: number, isForced?: boolean): Promise<readonly Member[]>;
  /** Removes our membership if it is still of this boot. */
  part(self: NodeName): Promise<void>;
  /**
   * Sets `key` to `holder` for `ttlMs` if it is free; answers who holds it afterwards, '' for nobody who can be named. Null: it seems free,
   * but the service lost its memory less than `ttlMs` before, so that somebody may still rely on a lease that it has forgotten.
   */
  acquire(key: string, holder: string, ttlMs: number): Promise<string | null>;
  /** Sets `key` to `holder` for `ttlMs` if it still is what was found there; answers whether it did. */
  replace(key: string, found: string, holder: string, ttlMs: number): Promise<boolean>;
  /**
   * Prolongs those of these leases that are held by exactly this holder; answers for each `true`, or who holds it: null where it is free, ''
   * for nobody who can be named. At most 1,000 a call.
   */
  renew(leases: readonly HeldBy[], ttlMs: number): Promise<readonly Renewal[]>;
  /** Deletes those that are held by exactly this holder. At most 1,000 a call. */
  release(leases: readonly HeldBy[]): Promise<void>;
  /** Holders: null where free, '' for nobody who can be named. At most 1,000 keys a call. */
  holders(keys: readonly string[]): Promise<readonly (string | null)[]>;
  /** Counts each call in all of its windows or in none (`Counting`); answers for each window. At most 500 calls at once. */
  count(calls: readonly (readonly SlidingWindow[])[]): Promise<readonly (readonly Counted[])[]>;
  /** See `Counting`. */
  acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean>;
  releaseSeat(room: string, seat: string): Promise<void>;
  /** Answers how many subscribers it reached. */
  publish(channel: string, text: string): Promise<number>;
  /**
   * Adds a channel; a channel has one receiver, the last one given. Resolves once it is received. If that takes too long it rejects, but the
   * subscription stands and is made when it can be, as after every loss of the connection; messages sent meanwhile are lost.
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

/** The log of the cluster; a pino logger fits. */
export interface ClusterLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
