import type { Cancel, Clock } from '../clock.ts';
import { Refusal } from '../errors.ts';
import { type Item, type Move, place, rebalance } from '../placement.ts';
import type { ClusterActors } from './actors.ts';
import { leaseKey } from './leased.ts';
import type { Cluster } from './port.ts';

/** An actor that should be running somewhere. */
export interface Wanted {
  readonly kind: string;
  readonly id: string;
  readonly weight: number;
  readonly pinned: string | null;
  readonly movable: boolean;
}

export interface StewardPorts {
  readonly cluster: Cluster;
  readonly actors: Pick<ClusterActors, 'take' | 'move'>;
  readonly clock: Clock;
  /** All that should run, in the whole cluster. */
  wanted(): Promise<readonly Wanted[]>;
  /** A look at the cluster, or a move, failed; it is tried again. */
  failed(cause: unknown): void;
}

export interface StewardLimits {
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

const LOOK = 'steward.look';
const SOON_MS = 20;
const CALM = 5;
/** Actors that one look gives a home. */
const MOST_TAKEN = 500;

/**
 * Sees to it that everything wanted runs, evenly spread. Every node has one; the one that holds the `steward` lease acts. It decides
 * nothing that matters: two stewards at once would only send a few useless hints, because leases say who runs what.
 */
export class Steward {
  readonly #ports: StewardPorts;
  readonly #limits: StewardLimits;
  #cancel: Cancel = () => {};
  #looking = false;
  #again = false;
  #stopped = false;
  #taken = 0;

  constructor(ports: StewardPorts, limits: StewardLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  start(): void {
    this.#ports.cluster.onMembers(() => this.lookSoon());
    this.#ports.cluster.wire.onBroadcast(LOOK, () => this.lookSoon());
    this.lookSoon();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
    const lease = this.#ports.cluster.leases.held().find(({ key }) => key === LOOK);
    if (lease) void this.#ports.cluster.leases.release(lease);
  }

  /** Something changed hands: whoever is the steward looks at once. */
  notify(): void {
    this.#ports.cluster.wire.broadcast(LOOK, null);
  }

  lookSoon(): void {
    if (this.#looking) this.#again = true;
    else this.#in(SOON_MS);
  }

  /** What a rebalance would do now, all of it. */
  async plan(): Promise<readonly PlannedMove[]> {
    const { hosts, items, byKey } = await this.#see();
    return rebalance(hosts, settled(items, place(hosts, items))).map((move) => planned(move, byKey));
  }

  /** Carries out the whole plan, a few at a time; answers it. */
  async rebalance(): Promise<readonly PlannedMove[]> {
    const moves = await this.plan();
    this.#carryOut(moves).catch((cause) => this.#ports.failed(cause));
    return moves;
  }

  #in(ms: number): void {
    if (this.#stopped) return;
    this.#cancel();
    this.#cancel = this.#ports.clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#again = false;
    let isCalm = false;
    try {
      if (await this.#ports.cluster.leases.acquire(LOOK)) isCalm = await this.#tend();
    } catch (cause) {
      this.#ports.failed(cause);
    } finally {
      this.#looking = false;
      this.#in(this.#again ? SOON_MS : this.#limits.everyMs * (isCalm ? CALM : 1));
    }
  }

  /** Answers whether there was nothing to do. */
  async #tend(): Promise<boolean> {
    const { hosts, items, byKey } = await this.#see();
    const homes = place(hosts, items);
    for (const [key, node] of this.#nextOf([...homes])) {
      const { kind, id } = byKey.get(key)!;
      this.#ports.actors.take(kind, id, node);
    }
    const moves = rebalance(hosts, settled(items, homes), { most: this.#limits.mostMoves });
    await this.#moveAll(moves.map((move) => planned(move, byKey)));
    return homes.size + moves.length === 0;
  }

  /** Where all of a large node wake at once, the store is flooded and most of them fail. In turn, so that none that cannot wake keeps back the others. */
  #nextOf<T>(all: readonly T[]): readonly T[] {
    if (all.length <= MOST_TAKEN) return all;
    const from = this.#taken % all.length;
    this.#taken += MOST_TAKEN;
    return [...all.slice(from), ...all.slice(0, from)].slice(0, MOST_TAKEN);
  }

  async #see() {
    const { cluster, wanted } = this.#ports;
    const all = await wanted();
    const byKey = new Map(all.map((one) => [leaseKey(one.kind, one.id), one]));
    const keys = [...byKey.keys()];
    const owners = await cluster.leases.holders(keys);
    const items = keys.map((key, i) => {
      const { weight, pinned, movable } = byKey.get(key)!;
      return { id: key, owner: owners[i] ?? null, weight, pinned, movable };
    });
    return { hosts: cluster.members().map(({ id, state }) => ({ id, state })), items, byKey };
  }

  async #carryOut(moves: readonly PlannedMove[]): Promise<void> {
    for (let at = 0; at < moves.length && !this.#stopped; at += this.#limits.mostMoves) {
      await this.#moveAll(moves.slice(at, at + this.#limits.mostMoves));
    }
  }

  async #moveAll(moves: readonly PlannedMove[]): Promise<void> {
    const done = moves.map(({ kind, id, from, to }) => this.#ports.actors.move(kind, id, from, to));
    for (const result of await Promise.allSettled(done)) {
      // A Refusal is "not now": the next look decides anew.
      if (result.status === 'rejected' && !(result.reason instanceof Refusal)) this.#ports.failed(result.reason);
    }
  }
}

/** As if what is being placed ran there already: it counts, and it stays. */
function settled(items: readonly Item[], homes: ReadonlyMap<string, string>): Item[] {
  return items.map((item) => {
    const owner = homes.get(item.id);
    return owner === undefined ? item : { ...item, owner, movable: false };
  });
}

function planned({ item, from, to, why }: Move, byKey: ReadonlyMap<string, Wanted>): PlannedMove {
  const { kind, id } = byKey.get(item)!;
  return { kind, id, from, to, why };
}
