import { hash } from 'node:crypto';
import type { ActorRef } from '../actor.ts';
import type { Tagged } from '../behaviour.ts';
import { type Clock, pause } from '../clock.ts';
import { Refusal, runtimeRefusal } from '../errors.ts';
import { Recent } from '../recent.ts';
import type { ActorSystem } from '../system.ts';
import { leaseKey } from './leased.ts';
import type { Cluster, Member } from './port.ts';

/** How one kind leaves a node. */
export interface Placed {
  readonly kind: string;
  /** Lets an awake actor finish what is under way, within `timeoutMs`. Rejects with a Refusal where it may not be moved now; `must`: the node is leaving. */
  rest(id: string, must: boolean, timeoutMs: number): Promise<void>;
  /** Resolves once it has closed everything and its lease is free. */
  gone(id: string): Promise<void>;
}

type Note =
  | { readonly do: 'ask' | 'tell'; readonly kind: string; readonly id: string; readonly command: Tagged; readonly timeoutMs: number }
  | { readonly do: 'take'; readonly kind: string; readonly id: string }
  | { readonly do: 'handOver'; readonly kind: string; readonly id: string; readonly to: string }
  | { readonly do: 'beState'; readonly state: Member['state'] };

const ASK_MS = 10_000;
const REST_MS = 10_000;
const GIVEN_AT_ONCE = 10;
const BELIEVED_MS = 2_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;
const MOVED = 'actors.moved';

/** The actors of the whole cluster: whoever is addressed is found, woken where it belongs, and followed when it moves. */
export class ClusterActors {
  readonly #system: ActorSystem;
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #kinds = new Map<string, Placed>();
  /** Actors on their way from here: nobody may wake them here again before another node could. */
  readonly #leaving = new Set<string>();
  /** By lease key: an actor is let go once, however many ask for it. */
  readonly #going = new Map<string, Promise<void>>();
  #given = 0;
  /** Where actors were seen last; only ever a hint. */
  readonly #whereabouts = new Recent<string, { node: string; until: number }>(20_000);

  constructor(system: ActorSystem, cluster: Cluster, clock: Clock) {
    this.#system = system;
    this.#cluster = cluster;
    this.#clock = clock;
    cluster.wire.serve((body) => this.#serve(body as Note));
    cluster.wire.onBroadcast(MOVED, (body) => this.#heardOfMove(body as { key: string; to: string }));
  }

  /** Makes a registered kind one that is placed over the nodes. */
  add(placed: Placed): void {
    this.#kinds.set(placed.kind, placed);
  }

  /** The address of one actor, wherever it runs. Asks follow it while it moves, within their timeout. */
  ref<C extends Tagged>(kind: string, id: string): ActorRef<C> {
    if (this.#cluster.name === 'local' || !this.#kinds.has(kind)) return this.#system.ref<C>(kind, id);
    return {
      kind,
      id,
      tell: (command: Tagged) => this.#tell(kind, id, command),
      ask: (command: Tagged, timeoutMs = ASK_MS) => this.#ask(kind, id, command, timeoutMs),
    } as unknown as ActorRef<C>;
  }

  /** Asks `node` to run an actor that nobody runs. A hint: whoever holds its lease keeps it. */
  take(kind: string, id: string, node: string): void {
    if (node === this.#cluster.self.id) this.#wakeHere(kind, id);
    else this.#cluster.wire.tell(node, { do: 'take', kind, id } satisfies Note);
  }

  /** Moves an actor from the node that runs it to another. Rejects with a Refusal where it cannot be moved now. */
  async move(kind: string, id: string, from: string, to: string): Promise<void> {
    if (from === this.#cluster.self.id) return this.#handOver(kind, id, to);
    await this.#cluster.wire.ask(from, { do: 'handOver', kind, id, to } satisfies Note, REST_MS + 5_000);
  }

  /** Tells a node to take part or to leave step by step. */
  async beState(node: string, state: Member['state']): Promise<void> {
    if (node === this.#cluster.self.id) this.#cluster.announce({ state });
    else await this.#cluster.wire.ask(node, { do: 'beState', state } satisfies Note, 5_000);
  }

  /** Ends an actor that runs here without losing anything; `must`: this node leaves, so a bad moment is no reason. Whoever comes second waits for the first. */
  letGo(kind: string, id: string, must: boolean, timeoutMs = REST_MS): Promise<void> {
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

  /**
   * This node leaves: gives all of a kind that run here to those that stay, in turn. Some at a time, and each has its next node before the next one
   * goes, so that none is away for longer than its own move takes; after `timeoutMs` nothing is waited for any more. Never rejects: what
   * could not be given is found by the steward.
   */
  async giveAway(kind: string, timeoutMs: number): Promise<void> {
    const ids = [...this.#system.awake(kind)];
    const endsAt = this.#clock.monotonic() + timeoutMs;
    const leftMs = (): number => Math.max(1, endsAt - this.#clock.monotonic());
    const giver = async (): Promise<void> => {
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) await this.#give(kind, id, leftMs()).catch(() => undefined);
    };
    await Promise.all(Array.from({ length: GIVEN_AT_ONCE }, giver));
  }

  async #give(kind: string, id: string, timeoutMs: number): Promise<void> {
    await this.letGo(kind, id, true, timeoutMs);
    const others = this.#cluster.members().filter((member) => member.state === 'active' && member.id !== this.#cluster.self.id);
    this.#given += 1;
    const to = others[this.#given % others.length];
    if (to) this.#sendTo(kind, id, to.id);
  }

  async #end(kind: string, id: string, must: boolean, timeoutMs: number): Promise<void> {
    const placed = this.#kinds.get(kind);
    if (!placed || !this.#system.has(kind, id)) return;
    await placed.rest(id, must, timeoutMs).catch((cause) => {
      if (!must) throw cause;
    });
    const key = leaseKey(kind, id);
    this.#leaving.add(key);
    try {
      await this.#system.stop(kind, id, 'ELSEWHERE');
      await placed.gone(id);
    } finally {
      this.#leaving.delete(key);
    }
  }

  async #handOver(kind: string, id: string, to: string): Promise<void> {
    await this.letGo(kind, id, false);
    this.#sendTo(kind, id, to);
  }

  #sendTo(kind: string, id: string, to: string): void {
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
    try {
      return await this.#cluster.wire.ask(node, { do: 'ask', kind, id, command, timeoutMs } satisfies Note, timeoutMs);
    } catch (cause) {
      // No such member: it never got the question.
      throw cause instanceof Refusal && cause.code === 'UNAVAILABLE' && !this.#isMember(node) ? runtimeRefusal('ELSEWHERE') : cause;
    }
  }

  async #askHere(kind: string, id: string, command: Tagged, timeoutMs: number): Promise<unknown> {
    if (this.#leaving.has(leaseKey(kind, id))) throw runtimeRefusal('ELSEWHERE');
    const ref = this.#system.ref<Tagged>(kind, id) as unknown as { ask(command: Tagged, timeoutMs: number): Promise<unknown> };
    return ref.ask(command, timeoutMs);
  }

  #tellHere(kind: string, id: string, command: Tagged): void {
    if (!this.#leaving.has(leaseKey(kind, id))) this.#system.ref<Tagged>(kind, id).tell(command as never);
  }

  #wakeHere(kind: string, id: string): void {
    if (!this.#leaving.has(leaseKey(kind, id))) this.#system.wake(kind, id);
  }

  #tell(kind: string, id: string, command: Tagged): void {
    if (this.#system.has(kind, id)) return this.#system.ref<Tagged>(kind, id).tell(command as never);
    this.#holderOf(kind, id)
      .then((node) => {
        if (node === this.#cluster.self.id) this.#tellHere(kind, id, command);
        else if (node !== null) this.#cluster.wire.tell(node, { do: 'tell', kind, id, command, timeoutMs: 0 } satisfies Note);
      })
      // Nobody can say where it is, or it has ended or is full meanwhile: what it would have been told of waits in the store.
      .catch(() => undefined);
  }

  async #whereIs(kind: string, id: string): Promise<string> {
    if (this.#system.has(kind, id)) return this.#cluster.self.id;
    return (await this.#holderOf(kind, id)) ?? this.#homeFor(leaseKey(kind, id));
  }

  async #holderOf(kind: string, id: string): Promise<string | null> {
    const key = leaseKey(kind, id);
    const believed = this.#whereabouts.get(key);
    if (believed && believed.until > this.#clock.monotonic() && this.#isMember(believed.node)) return believed.node;
    const [holder = null] = await this.#cluster.leases.holders([key]);
    if (holder !== null) this.#whereabouts.set(key, { node: holder, until: this.#clock.monotonic() + BELIEVED_MS });
    return holder;
  }

  /** Nobody runs it: every node comes to the same answer as far as they see the same members, and the actors spread (highest random weight). */
  #homeFor(key: string): string {
    const active = this.#cluster.members().filter(({ state }) => state === 'active');
    const drawn = active.map(({ id }) => ({ id, lot: hash('sha1', `${key} ${id}`) }));
    return drawn.sort((a, b) => (a.lot < b.lot ? 1 : -1))[0]?.id ?? this.#cluster.self.id;
  }

  #isMember(node: string): boolean {
    return this.#cluster.members().some(({ id }) => id === node);
  }

  #heardOfMove({ key, to }: { key: string; to: string }): void {
    this.#whereabouts.set(key, { node: to, until: this.#clock.monotonic() + BELIEVED_MS });
  }

  async #serve(note: Note): Promise<unknown> {
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
