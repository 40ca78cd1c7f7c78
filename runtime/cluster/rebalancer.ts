/**
 * Ensures that every wanted actor runs and that actors are spread evenly. Every node has a
 * rebalancer, but only the holder of the rebalancer lease acts. Its decisions are only hints,
 * because leases decide which node runs an actor. Two active rebalancers would be harmless.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cancel, Clock } from '../clock.ts';
import { Refusal } from '../errors.ts';
import { inChunks } from '../in-chunks.ts';
import { entry } from '../invariant.ts';
import { type Item, type Move, place, rebalance } from '../placement/placement.ts';
import type { ClusterActors, Wanted } from './cluster-actors.ts';
import { leaseKey } from './leased-actor.ts';
import type { Cluster } from './port.ts';

export interface RebalancerDeps {
  readonly cluster: Cluster;
  readonly actors: Pick<ClusterActors, 'take' | 'move' | 'wanted'>;
  readonly clock: Clock;
  failed(cause: unknown): void;
  /**
   * Receives the number of actors without a node, or null if another node rebalances. Must not
   * throw.
   */
  readonly seen?: (homeless: number | null) => void;
}

export interface RebalancerOptions {
  /**
   * Pause in ms between polls while actors have to move. The pause is at least five times as long
   * if none have to.
   */
  readonly everyMs: number;
  readonly mostMoves: number;
}

export interface PlannedMove {
  readonly kind: string;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly why: Move['why'];
}

const LOOK = 'rebalancer.look';
const SOON_MS = 20;
const CALM = 5;
/**
 * A poll that takes longer than this is abandoned. If it continues, its decisions are only hints.
 */
const LONGEST_LOOK_MS = 30_000;
const TAKEN_PER_NODE = 500;
const TAKEN_AT_ONCE = 500;
const REST = 4;
/** Longest pause after a slow poll. A device whose node is lost unnoticed may wait this long. */
const MAX_REST_MS = 30_000;

export class Rebalancer {
  readonly #deps: RebalancerDeps;
  readonly #limits: RebalancerOptions;
  #cancel: Cancel = () => {};
  #looking = false;
  #again = false;
  #stopped = false;
  #taken = 0;
  #lookMs = 0;

  constructor(deps: RebalancerDeps, limits: RebalancerOptions) {
    this.#deps = deps;
    this.#limits = limits;
  }

  start(): void {
    this.#deps.cluster.onMembers(() => this.pollSoon());
    this.#deps.cluster.wire.onBroadcast(LOOK, () => this.pollSoon());
    this.pollSoon();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
    this.#resign();
  }

  /** Makes the current rebalancer poll immediately. Call it after an actor has moved to another node. */
  notify(): void {
    this.#deps.cluster.wire.broadcast(LOOK, null);
  }

  pollSoon(): void {
    if (this.#looking) this.#again = true;
    else this.#in(SOON_MS);
  }

  async plan(): Promise<readonly PlannedMove[]> {
    const { hosts, items, byKey } = await this.#see();
    return rebalance(hosts, settled(items, place(hosts, items))).map((move) => planned(move, byKey));
  }

  async rebalance(): Promise<readonly PlannedMove[]> {
    const moves = await this.plan();
    this.#carryOut(moves).catch((cause) => this.#deps.failed(cause));
    return moves;
  }

  #in(ms: number): void {
    if (this.#stopped) return;
    this.#cancel();
    this.#cancel = this.#deps.clock.after(ms, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#looking = true;
    this.#again = false;
    let isCalm = false;
    try {
      if (await this.#deps.cluster.leases.acquire(LOOK)) isCalm = await this.#tendInTime();
      else {
        this.#resign();
        this.#deps.seen?.(null);
      }
    } catch (cause) {
      this.#deps.failed(cause);
    } finally {
      this.#looking = false;
      const restMs = Math.max(this.#limits.everyMs * CALM, Math.min(this.#lookMs * REST, MAX_REST_MS));
      this.#in(this.#again ? SOON_MS : isCalm ? restMs : this.#limits.everyMs);
    }
  }

  #resign(): void {
    const lease = this.#deps.cluster.leases.held().find(({ key }) => key === LOOK);
    if (lease) void this.#deps.cluster.leases.release(lease);
  }

  async #tendInTime(): Promise<boolean> {
    const late = Promise.withResolvers<'late'>();
    const cancel = this.#deps.clock.after(LONGEST_LOOK_MS, () => late.resolve('late'));
    const isCalm = await Promise.race([this.#tend(), late.promise]).finally(cancel);
    if (isCalm !== 'late') return isCalm;
    this.#resign();
    this.#deps.failed(new Error(`a look at the cluster took longer than ${LONGEST_LOOK_MS} ms`));
    return true;
  }

  async #tend(): Promise<boolean> {
    const began = this.#deps.clock.monotonic();
    const { hosts, items, byKey } = await this.#see();
    this.#lookMs = this.#deps.clock.monotonic() - began;
    const homes = place(hosts, items);
    this.#deps.seen?.(homes.size);
    const most = TAKEN_PER_NODE * hosts.filter(({ state }) => state === 'active').length;
    for (const some of inChunks(this.#nextOf([...homes], most), TAKEN_AT_ONCE)) {
      for (const [key, node] of some) {
        const { kind, id } = entry(byKey, key);
        this.#deps.actors.take(kind, id, node);
      }
      await nextTurn();
    }
    const moves = rebalance(hosts, settled(items, homes), { most: this.#limits.mostMoves });
    await this.#moveAll(moves.map((move) => planned(move, byKey)));
    return homes.size + moves.length === 0;
  }

  /** The starting point rotates, so actors that cannot wake do not block the others. */
  #nextOf<T>(all: readonly T[], most: number): readonly T[] {
    if (all.length <= most) return all;
    const from = this.#taken % all.length;
    this.#taken += most;
    return [...all.slice(from), ...all.slice(0, from)].slice(0, most);
  }

  async #see() {
    const { cluster, actors } = this.#deps;
    const all = await actors.wanted();
    const byKey = new Map(all.map((one) => [leaseKey(one.kind, one.id), one]));
    const owners = await cluster.leases.holders([...byKey.keys()]);
    const items = [...byKey].map(([id, { weight, pinned, movable }], i) => ({ id, owner: owners[i] ?? null, weight, pinned, movable }));
    // A node that has stepped down stops its actors itself, so they are treated as having no node.
    const hosts = cluster.members().filter(({ store }) => store !== 'stepped_down');
    return { hosts: hosts.map(({ id, state }) => ({ id, state })), items, byKey };
  }

  async #carryOut(moves: readonly PlannedMove[]): Promise<void> {
    for (let at = 0; at < moves.length && !this.#stopped; at += this.#limits.mostMoves) {
      await this.#moveAll(moves.slice(at, at + this.#limits.mostMoves));
    }
  }

  async #moveAll(moves: readonly PlannedMove[]): Promise<void> {
    const done = moves.map(({ kind, id, from, to }) => this.#deps.actors.move(kind, id, from, to));
    for (const result of await Promise.allSettled(done)) {
      // A Refusal only means "not now", because the next poll decides again.
      if (result.status === 'rejected' && !(result.reason instanceof Refusal)) this.#deps.failed(result.reason);
    }
  }
}

/**
 * Treats actors that are being placed as already running on their new node, so that they are not
 * moved again.
 */
function settled(items: readonly Item[], homes: ReadonlyMap<string, string>): Item[] {
  return items.map((item) => {
    const owner = homes.get(item.id);
    return owner === undefined ? item : { ...item, owner, movable: false };
  });
}

function planned({ item, from, to, why }: Move, byKey: ReadonlyMap<string, Wanted>): PlannedMove {
  const { kind, id } = entry(byKey, item);
  return { kind, id, from, to, why };
}
