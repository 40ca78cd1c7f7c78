/**
 * Tracks the live nodes: sends this node's heartbeat, and reads the members from each response. A
 * node that joins or leaves notifies the others, which then send a heartbeat immediately. This process
 * gives way only to a process of the same node that started later. `sealed.ts` decides which
 * members in a response to trust.
 */

import { type Cancel, type Clock, pause } from '../clock.ts';
import type { Cluster, ClusterLog, Coordination, Member, NodeName } from './port.ts';

export interface MembershipOptions {
  readonly self: NodeName;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

type Listener = (members: readonly Member[]) => void;

const BEATS_PER_LIFE = 3;
const JOIN_WITHIN_MS = 5_000;
const JOIN_RETRY_MS = 50;
const NEWS = 'members';

export class Membership {
  readonly #coordination: Coordination;
  readonly #options: MembershipOptions;
  readonly #listeners: Listener[] = [];
  #self: Member;
  #members: readonly Member[];
  #nextBeat: Cancel | null = null;
  #lastBeat: Promise<void> = Promise.resolve();
  #waitingBeat: Promise<void> | null = null;
  #isJoined = false;
  #isReplaced = false;
  readonly #replacedListeners: (() => void)[] = [];
  #isAnswered = true;

  constructor(coordination: Coordination, options: MembershipOptions) {
    this.#coordination = coordination;
    this.#options = options;
    const now = options.clock.now();
    this.#self = { ...options.self, address: '', started_at: now, heartbeat_at: now, state: 'active', load: {} };
    this.#members = [this.#self];
  }

  /** This node as it was last announced, even if the other nodes have not seen the change yet. */
  get self(): Member {
    return this.#self;
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  find(id: string): Member | undefined {
    return this.#members.find((member) => member.id === id);
  }

  onMembers(listener: Listener): void {
    this.#listeners.push(listener);
  }

  onReplaced(listener: () => void): void {
    this.#replacedListeners.push(listener);
  }

  announce(change: Parameters<Cluster['announce']>[0]): void {
    const was = this.#self;
    this.#self = { ...was, ...change };
    if (!this.#isJoined || fingerprint([was]) === fingerprint([this.#self])) return;
    void this.#beat().then(() => this.#tellNews());
  }

  /** Resolves once other nodes see this one, or rejects after 5 s. `prepare` runs before each attempt. */
  async join(prepare: () => Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const giveUpAt = clock.monotonic() + JOIN_WITHIN_MS;
    for (;;) {
      try {
        this.#take(await within(clock, giveUpAt - clock.monotonic(), this.#hello(prepare)));
        break;
      } catch (cause) {
        if (clock.monotonic() + JOIN_RETRY_MS > giveUpAt) throw new Error('the node could not join: Redis does not answer', { cause });
        await pause(clock, JOIN_RETRY_MS);
      }
    }
    this.#isJoined = true;
    this.#beatLater();
    this.#tellNews();
  }

  async part(): Promise<void> {
    this.#isJoined = false;
    this.#nextBeat?.();
    await this.#lastBeat;
    await this.#coordination.part(this.#options.self).catch(() => {});
    await this.#coordination.publish(NEWS, this.#self.id).catch(() => {});
  }

  async #hello(prepare: () => Promise<void>): Promise<readonly Member[]> {
    await prepare();
    await this.#coordination.subscribe(NEWS, (from) => this.#onNews(from));
    return this.#send();
  }

  #send(): Promise<readonly Member[]> {
    this.#self = { ...this.#self, heartbeat_at: this.#options.clock.now() };
    return this.#coordination.beat(this.#self, this.#options.ttlMs);
  }

  #onNews(from: string): void {
    if (from !== this.#self.id && this.#isJoined) void this.#beat();
  }

  #tellNews(): void {
    this.#coordination.publish(NEWS, this.#self.id).catch(() => {});
  }

  #beatLater(): void {
    this.#nextBeat?.();
    this.#nextBeat = this.#options.clock.after(this.#options.ttlMs / BEATS_PER_LIFE, () => void this.#beat());
  }

  #beat(): Promise<void> {
    this.#waitingBeat ??= this.#lastBeat.then(() => {
      this.#waitingBeat = null;
      this.#lastBeat = this.#beatOnce();
      return this.#lastBeat;
    });
    return this.#waitingBeat;
  }

  async #beatOnce(): Promise<void> {
    if (!this.#isJoined) return;
    const members = await this.#send().catch(() => null);
    if (!this.#isJoined) return;
    this.#beatLater();
    this.#noteAnswer(members !== null);
    if (members !== null) this.#take(members);
  }

  #noteAnswer(isAnswered: boolean): void {
    if (this.#isAnswered && !isAnswered)
      this.#options.log.warn({ event: 'redis.unreachable' }, 'Redis does not answer: what is open goes on, nothing new is taken');
    if (!this.#isAnswered && isAnswered) this.#options.log.info({ event: 'redis.reachable' }, 'Redis answers again');
    this.#isAnswered = isAnswered;
  }

  #take(members: readonly Member[]): void {
    if (members.some((member) => isYounger(member, this.#self))) this.#noteReplaced();
    const others = members.filter(({ id }) => id !== this.#self.id);
    const before = fingerprint(this.#members);
    this.#members = [...others, this.#self].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (fingerprint(this.#members) !== before) for (const listener of this.#listeners) listener(this.#members);
  }

  #noteReplaced(): void {
    if (this.#isReplaced) return;
    this.#isReplaced = true;
    this.#options.log.error(
      { event: 'node.replaced', node: this.#self.id },
      'another process runs under the NODE_ID of this one, which gives way',
    );
    for (const listener of this.#replacedListeners) listener();
  }
}

function isYounger(member: Member, self: Member): boolean {
  if (member.id !== self.id || member.boot === self.boot) return false;
  return member.started_at > self.started_at || (member.started_at === self.started_at && member.boot > self.boot);
}

function fingerprint(members: readonly Member[]): string {
  return JSON.stringify(members.map(({ id, boot, address, state, store }) => [id, boot, address, state, store]));
}

function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error('no response in time')));
    work.then(resolve, reject).finally(cancel);
  });
}
