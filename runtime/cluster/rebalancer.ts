import type { Cancel, Clock } from '../clock.ts';
import { Refusal } from '../errors.ts';
import { entry } from '../invariant.ts';
import { type Item, type Move, place, rebalance } from '../placement/placement.ts';
import type { ClusterActors, Wanted } from './cluster-actors.ts';
import { leaseKey } from './leased-actor.ts';
import type { Cluster } from './port.ts';

export interface RebalancerDeps {
  readonly cluster: Cluster;
  readonly actors: Pick<ClusterActors, 'take' | 'move' | 'wanted'>;
  readonly clock: Clock;
  /** A look at the cluster, or a move, failed; it is tried again. */
  failed(cause: unknown): void;
  /** After each look: how many actors that should run had no home; null: another node looks. Must not throw. */
  readonly seen?: (homeless: number | null) => void;
}

export interface RebalancerOptions {
  /** Between two looks while something has no home or must move; five times that where nothing happens: all that should run is read each time. */
  readonly everyMs: number;
  /** Moves of one look at the most, so that a rebalance is felt by few at a time. */
  readonly mostMoves: number;
}

/** A plan, with the actors by their ids and why each moves. */
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
/** A look that takes so long is given up: what it decides later is no more than a hint. */
const LONGEST_LOOK_MS = 30_000;
/** Actors that one look gives a home. */
const MAX_TAKEN = 500;

/**
 * Sees to it that everything wanted runs, evenly spread. Every node has one; the one that holds the `rebalancer` lease acts. It decides
 * nothing that matters: two rebalancer at once would only send a few useless hints, because leases say who runs what.
 */
export class Rebalancer {
  readonly #deps: RebalancerDeps;
  readonly #limits: RebalancerOptions;
  #cancel: Cancel = () => {};
  #looking = false;
  #again = false;
  #stopped = false;
  #taken = 0;

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

  /** An actor changed its node: the current rebalancer looks at once. */
  notify(): void {
    this.#deps.cluster.wire.broadcast(LOOK, null);
  }

  pollSoon(): void {
    if (this.#looking) this.#again = true;
    else this.#in(SOON_MS);
  }

  /** All moves that a rebalance would make now. */
  async plan(): Promise<readonly PlannedMove[]> {
    const { hosts, items, byKey } = await this.#see();
    return rebalance(hosts, settled(items, place(hosts, items))).map((move) => planned(move, byKey));
  }

  /** Carries out the whole plan, a few at a time; answers it. */
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
      this.#in(this.#again ? SOON_MS : this.#limits.everyMs * (isCalm ? CALM : 1));
    }
  }

  /** Another node is to look. */
  #resign(): void {
    const lease = this.#deps.cluster.leases.held().find(({ key }) => key === LOOK);
    if (lease) void this.#deps.cluster.leases.release(lease);
  }

  /** As `#tend`. Where it takes too long, the store or Redis may answer another node: that one has the time of a calm look to begin its own. */
  async #tendInTime(): Promise<boolean> {
    const late = Promise.withResolvers<'late'>();
    const cancel = this.#deps.clock.after(LONGEST_LOOK_MS, () => late.resolve('late'));
    const isCalm = await Promise.race([this.#tend(), late.promise]).finally(cancel);
    if (isCalm !== 'late') return isCalm;
    this.#resign();
    this.#deps.failed(new Error(`a look at the cluster took longer than ${LONGEST_LOOK_MS} ms`));
    return true;
  }

  /** Answers whether there was nothing to do. */
  async #tend(): Promise<boolean> {
    const { hosts, items, byKey } = await this.#see();
    const homes = place(hosts, items);
    this.#deps.seen?.(homes.size);
    for (const [key, node] of this.#nextOf([...homes])) {
      const { kind, id } = entry(byKey, key);
      this.#deps.actors.take(kind, id, node);
    }
    const moves = rebalance(hosts, settled(items, homes), { most: this.#limits.mostMoves });
    await this.#moveAll(moves.map((move) => planned(move, byKey)));
    return homes.size + moves.length === 0;
  }

  /** Where all of a large node wake at once, the store is flooded and most of them fail. In turn, so that none that cannot wake keeps back the others. */
  #nextOf<T>(all: readonly T[]): readonly T[] {
    if (all.length <= MAX_TAKEN) return all;
    const from = this.#taken % all.length;
    this.#taken += MAX_TAKEN;
    return [...all.slice(from), ...all.slice(0, from)].slice(0, MAX_TAKEN);
  }

  async #see() {
    const { cluster, actors } = this.#deps;
    const all = await actors.wanted();
    const byKey = new Map(all.map((one) => [leaseKey(one.kind, one.id), one]));
    const owners = await cluster.leases.holders([...byKey.keys()]);
    const items = [...byKey].map(([id, { weight, pinned, movable }], i) => ({ id, owner: owners[i] ?? null, weight, pinned, movable }));
    // What a node runs that has stepped down has no home: that node ends it by itself.
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
      // A Refusal is "not now": the next look decides anew.
      if (result.status === 'rejected' && !(result.reason instanceof Refusal)) this.#deps.failed(result.reason);
    }
  }
}

/** Counts actors that are being placed as if they already ran there, so that they stay. */
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
