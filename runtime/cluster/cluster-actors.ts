/**
 * Addresses every actor in the cluster: finds it, wakes it on the right node and follows it when it
 * moves. The lease decides which node runs an actor. `#whereabouts` is only a cache of hints, which
 * a request drops when the node answers ELSEWHERE.
 */

import { hash } from 'node:crypto';
import type { ActorRef } from '../actor-system/actor.ts';
import type { Tagged, TaggedEffect } from '../actor-system/behaviour.ts';
import type { ActorSystem } from '../actor-system/system.ts';
import { type Clock, forAtMost, pause } from '../clock.ts';
import { Refusal, runtimeRefusal } from '../errors.ts';
import { RecentCache } from '../recent-cache.ts';
import { memberOf } from '../shapes.ts';
import { type LeasedKind, leased, leaseKey } from './leased-actor.ts';
import { isNote, type Note } from './note.ts';
import { type Cluster, type Member, takesActors } from './port.ts';

export interface Wanted {
  readonly kind: string;
  readonly id: string;
  readonly weight: number;
  readonly pinned: string | null;
  readonly movable: boolean;
}

export type WantedActor = Omit<Wanted, 'kind'>;

export const movable = (id: string, weight: number): WantedActor => ({ id, weight, pinned: null, movable: true });

export interface ClusteredKind<Args, State, C extends Tagged, E extends Tagged, Effect extends TaggedEffect>
  extends LeasedKind<Args, State, C, E, Effect> {
  /** When a node drains, actors of kinds with a lower number leave first. */
  readonly drainOrder: number;
  /** Rejects with a Refusal if the actor cannot move now. `must` is true if the node is leaving. */
  drain(actor: ActorRef<C>, must: boolean, timeoutMs: number): Promise<unknown>;
  wanted(): Promise<readonly WantedActor[]>;
  /** True for commands that are never retried elsewhere once started. They fail with UNAVAILABLE instead. */
  isOnce?(command: Tagged): boolean;
}

/** Callbacks must not throw. */
export interface ActorsOptions {
  readonly shareOf?: (id: string, command: Tagged) => string | null;
  readonly lost?: (kind: string) => void;
  readonly handedOver?: (kind: string) => void;
}

interface Registered {
  readonly drainOrder: number;
  drain(id: string, must: boolean, timeoutMs: number): Promise<unknown>;
  wanted(): Promise<readonly WantedActor[]>;
  isOnce(command: Tagged): boolean;
  gone(id: string): Promise<void>;
  allGone(): Promise<unknown>;
}

const ASK_MS = 10_000;
const DRAIN_MS = 10_000;
const EVICT_BATCH_SIZE = 10;
const BELIEVED_MS = 2_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
const MOVED = 'actors.moved';

export class ClusterActors {
  readonly #system: ActorSystem;
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #kinds = new Map<string, Registered>();
  /** Lease keys of leaving actors, which must not wake here until another node can take them. */
  readonly #leaving = new Set<string>();
  readonly #going = new Map<string, Promise<void>>();
  #given = 0;
  readonly #options: ActorsOptions;
  readonly #whereabouts = new RecentCache<string, { node: string; until: number }>(20_000);

  constructor(system: ActorSystem, cluster: Cluster, clock: Clock, options: ActorsOptions = {}) {
    this.#options = options;
    this.#system = system;
    this.#cluster = cluster;
    this.#clock = clock;
    cluster.wire.serve((body) => this.#serve(body));
    cluster.wire.onBroadcast(MOVED, (body) => this.#onMoved(memberOf(body, 'key'), memberOf(body, 'to')));
  }

  register<Args, State, C extends Tagged, E extends Tagged, Effect extends TaggedEffect>(
    clustered: ClusteredKind<Args, State, C, E, Effect>,
  ): void {
    const { kind, gone, allGone } = leased(clustered, this.#cluster.leases, this.#options.lost);
    const { kind: name } = clustered.behaviour;
    this.#system.register(kind);
    this.#kinds.set(name, {
      drainOrder: clustered.drainOrder,
      drain: (id, must, timeoutMs) => clustered.drain(this.#system.ref<C>(name, id), must, timeoutMs),
      wanted: () => clustered.wanted(),
      isOnce: (command) => clustered.isOnce?.(command) ?? false,
      gone,
      allGone,
    });
  }

  async wanted(kind?: string): Promise<readonly Wanted[]> {
    const asked = [...this.#kinds].filter(([name]) => kind === undefined || name === kind);
    const found = await Promise.all(asked.map(async ([name, { wanted }]) => (await wanted()).map((one) => ({ kind: name, ...one }))));
    return found.flat();
  }

  /** `ask` wakes the actor. A `tell` is lost if no node runs the actor, unless `wakes` is true. */
  ref<C extends Tagged>(kind: string, id: string, wakes = false): ActorRef<C> {
    if (this.#cluster.name === 'local' || !this.#kinds.has(kind)) return this.#system.ref<C>(kind, id);
    return {
      kind,
      id,
      tell: (command: Tagged) => this.#tell(kind, id, command, wakes),
      ask: (command: Tagged, timeoutMs = ASK_MS) => this.#ask(kind, id, command, timeoutMs),
    } as unknown as ActorRef<C>;
  }

  /** Asks `node` to start an actor. This is only a hint: a node that holds the lease keeps the actor. */
  take(kind: string, id: string, node: string): void {
    if (node === this.#cluster.self.id) this.#wakeHere(kind, id);
    else this.#cluster.wire.tell(node, { do: 'take', kind, id } satisfies Note);
  }

  async move(kind: string, id: string, from: string, to: string): Promise<void> {
    if (from === this.#cluster.self.id) return this.#handOver(kind, id, to);
    await this.#cluster.wire.ask(from, { do: 'handOver', kind, id, to } satisfies Note, DRAIN_MS + 5_000);
  }

  async beState(node: string, state: Member['state']): Promise<void> {
    if (node === this.#cluster.self.id) this.#cluster.announce({ state });
    else await this.#cluster.wire.ask(node, { do: 'beState', state } satisfies Note, 5_000);
  }

  evict(kind: string, id: string, must: boolean, timeoutMs = DRAIN_MS): Promise<void> {
    const key = leaseKey(kind, id);
    const before = this.#going.get(key);
    if (before && !must) return before;
    const going = Promise.resolve(before)
      .catch(() => undefined)
      .then(() => this.#end(kind, id, must, timeoutMs))
      .finally(() => {
        if (this.#going.get(key) === going) this.#going.delete(key);
      });
    this.#going.set(key, going);
    return going;
  }

  /** Allows at most `timeoutMs` for each kind. Never rejects. */
  async evictEverything(timeoutMs: number): Promise<void> {
    const inOrder = [...this.#kinds].sort(([, a], [, b]) => a.drainOrder - b.drainOrder);
    for (const [kind] of inOrder) await this.evictAll(kind, timeoutMs);
  }

  /** Hands over each actor before stopping the next, so each is unavailable only during its own move. */
  async evictAll(kind: string, timeoutMs: number): Promise<void> {
    const ids = [...this.#system.present(kind)];
    const endsAt = this.#clock.monotonic() + timeoutMs;
    const leftMs = (): number => Math.max(1, endsAt - this.#clock.monotonic());
    const giver = async (): Promise<void> => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await this.#give(kind, id, leftMs()).catch(() => undefined);
    };
    await Promise.all(Array.from({ length: EVICT_BATCH_SIZE }, giver));
  }

  /** Resolves when the actors have closed and released their leases, or after `timeoutMs`. */
  async shutdown(timeoutMs: number): Promise<void> {
    await this.#system.shutdown();
    await forAtMost(this.#clock, timeoutMs, Promise.all([...this.#kinds.values()].map(({ allGone }) => allGone())));
  }

  async #give(kind: string, id: string, timeoutMs: number): Promise<void> {
    await this.evict(kind, id, true, timeoutMs);
    const others = this.#cluster.members().filter((member) => takesActors(member) && member.id !== this.#cluster.self.id);
    this.#given += 1;
    const to = others[this.#given % others.length];
    if (to) this.#sendTo(kind, id, to.id);
  }

  async #end(kind: string, id: string, must: boolean, timeoutMs: number): Promise<void> {
    const placed = this.#kinds.get(kind);
    if (!placed || !this.#system.has(kind, id)) return;
    const isAwake = this.#system.isAwake(kind, id);
    if (isAwake)
      await placed.drain(id, must, timeoutMs).catch((cause) => {
        if (!must) throw cause;
      });
    const key = leaseKey(kind, id);
    this.#leaving.add(key);
    try {
      await this.#system.stop(kind, id, 'ELSEWHERE');
      // An actor that is still waking has nothing to close and may hang, so the wait is limited.
      await (isAwake ? placed.gone(id) : forAtMost(this.#clock, timeoutMs, placed.gone(id)));
    } finally {
      this.#leaving.delete(key);
    }
  }

  async #handOver(kind: string, id: string, to: string): Promise<void> {
    await this.evict(kind, id, false);
    this.#sendTo(kind, id, to);
  }

  #sendTo(kind: string, id: string, to: string): void {
    this.#options.handedOver?.(kind);
    this.#cluster.wire.broadcast(MOVED, { key: leaseKey(kind, id), to });
    this.take(kind, id, to);
  }

  async #ask(kind: string, id: string, command: Tagged, timeoutMs: number): Promise<unknown> {
    const deadline = this.#clock.monotonic() + timeoutMs;
    for (let tries = 0; ; tries += 1) {
      const left = deadline - this.#clock.monotonic();
      if (left <= 0) throw runtimeRefusal('TIMED_OUT');
      try {
        return await this.#askWhere(kind, id, command, left);
      } catch (cause) {
        if (!isElsewhere(cause)) throw cause;
        this.#whereabouts.delete(leaseKey(kind, id));
        await pause(this.#clock, Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS, left));
      }
    }
  }

  async #askWhere(kind: string, id: string, command: Tagged, timeoutMs: number): Promise<unknown> {
    const node = await this.#whereIs(kind, id);
    if (node === this.#cluster.self.id) return this.#askHere(kind, id, command, timeoutMs);
    const boot = this.#bootOf(node);
    if (boot === null) throw runtimeRefusal('ELSEWHERE');
    try {
      return await this.#cluster.wire.ask(
        node,
        { do: 'ask', kind, id, command, timeoutMs } satisfies Note,
        timeoutMs,
        this.#options.shareOf?.(id, command),
      );
    } catch (cause) {
      const isGone = cause instanceof Refusal && cause.code === 'UNAVAILABLE' && this.#bootOf(node) !== boot;
      throw isGone && !this.#kinds.get(kind)?.isOnce(command) ? runtimeRefusal('ELSEWHERE') : cause;
    }
  }

  async #askHere(kind: string, id: string, command: Tagged, timeoutMs: number): Promise<unknown> {
    if (this.#leaving.has(leaseKey(kind, id))) throw runtimeRefusal('ELSEWHERE');
    return this.#system.address(kind, id).ask(command, timeoutMs);
  }

  #tellHere(kind: string, id: string, command: Tagged): void {
    if (!this.#leaving.has(leaseKey(kind, id))) this.#system.address(kind, id).tell(command);
  }

  #wakeHere(kind: string, id: string): void {
    if (!this.#leaving.has(leaseKey(kind, id))) this.#system.wake(kind, id);
  }

  #tell(kind: string, id: string, command: Tagged, wakes: boolean): void {
    if (this.#system.has(kind, id)) return this.#system.address(kind, id).tell(command);
    this.#holderOf(kind, id)
      .then((holder) => {
        const node = holder ?? (wakes ? this.#homeFor(leaseKey(kind, id)) : null);
        if (node === this.#cluster.self.id) this.#tellHere(kind, id, command);
        else if (node !== null) this.#cluster.wire.tell(node, { do: 'tell', kind, id, command, timeoutMs: 0 } satisfies Note);
      })
      .catch(() => undefined);
  }

  async #whereIs(kind: string, id: string): Promise<string> {
    if (this.#system.has(kind, id)) return this.#cluster.self.id;
    return (await this.#holderOf(kind, id)) ?? this.#homeFor(leaseKey(kind, id));
  }

  async #holderOf(kind: string, id: string): Promise<string | null> {
    const key = leaseKey(kind, id);
    const believed = this.#whereabouts.get(key);
    if (believed && believed.until > this.#clock.monotonic() && this.#bootOf(believed.node) !== null) return believed.node;
    const [holder = null] = await this.#cluster.leases.holders([key]);
    if (holder !== null) this.#whereabouts.set(key, { node: holder, until: this.#clock.monotonic() + BELIEVED_MS });
    return holder;
  }

  /** Uses rendezvous hashing, so that nodes with the same member list choose the same node. */
  #homeFor(key: string): string {
    const active = this.#cluster.members().filter(takesActors);
    const drawn = active.map(({ id }) => ({ id, lot: hash('sha1', `${key} ${id}`) }));
    return drawn.sort((a, b) => (a.lot < b.lot ? 1 : -1))[0]?.id ?? this.#cluster.self.id;
  }

  #bootOf(node: string): string | null {
    return this.#cluster.members().find(({ id }) => id === node)?.boot ?? null;
  }

  #onMoved(key: unknown, to: unknown): void {
    if (typeof key !== 'string' || typeof to !== 'string') return;
    this.#whereabouts.set(key, { node: to, until: this.#clock.monotonic() + BELIEVED_MS });
  }

  /** Rejects unknown kinds of requests, so that a newer node that sends one gets an error. */
  async #serve(note: unknown): Promise<unknown> {
    if (!isNote(note)) throw runtimeRefusal('UNAVAILABLE');
    switch (note.do) {
      case 'ask':
        return this.#askHere(note.kind, note.id, note.command, note.timeoutMs);
      case 'tell':
        return this.#tellHere(note.kind, note.id, note.command);
      case 'take':
        return this.#wakeHere(note.kind, note.id);
      case 'handOver':
        return this.#handOver(note.kind, note.id, note.to);
      case 'beState':
        return this.#cluster.announce({ state: note.state });
    }
  }
}

const isElsewhere = (cause: unknown): boolean => cause instanceof Refusal && cause.code === 'ELSEWHERE';
