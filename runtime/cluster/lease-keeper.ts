/**
 * Keeps all leases of this node with two timers: one renews them in rounds, the other checks
 * whether the lease that expires first is still safe. A renewal without a response does not prove
 * anything, so leases are kept until they are no longer safe.
 */

import type { Cancel, Clock } from '../clock.ts';
import { runtimeRefusal } from '../errors.ts';
import { inChunks } from '../in-chunks.ts';
import { HeldLease, type LeaseWatch } from './held-lease.ts';
import { nameOf, ownerName } from './lease-owner.ts';
import type { ClusterLog, Coordination, HeldBy, Lease, Leases, NodeName } from './port.ts';

export interface LeaseKeeperOptions {
  readonly self: NodeName;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly log: ClusterLog;
  readonly isOut?: () => boolean;
  readonly isReplaced?: (holder: string) => boolean;
}

const KEYS_PER_CALL = 1_000;
const ROUNDS_PER_LIFE = 3;
const RETRIES_PER_LIFE = 20;
const MARGIN_SHARE = 5;
const SAY_AGAIN_MS = 60_000;

export class LeaseKeeper implements Leases {
  readonly #coordination: Coordination;
  readonly #options: LeaseKeeperOptions;
  readonly #owner: string;
  readonly #watch: LeaseWatch;
  readonly #held = new Map<string, HeldLease>();
  readonly #taking = new Map<string, Promise<HeldLease | null>>();
  #takings = 0;
  #nextRound: Cancel | null = null;
  #nextPoll: Cancel | null = null;
  #isClosed = false;
  #quietUntil = Number.NEGATIVE_INFINITY;

  constructor(coordination: Coordination, options: LeaseKeeperOptions) {
    this.#coordination = coordination;
    this.#options = options;
    this.#owner = ownerName(options.self);
    this.#watch = { monotonic: () => options.clock.monotonic(), drop: (lease) => this.#drop(lease) };
  }

  async acquire(key: string): Promise<Lease | null> {
    if (this.#options.isOut?.()) return null;
    const held = this.#held.get(key);
    if (held?.isSafe()) return held;
    const taking = this.#taking.get(key) ?? this.#take(key).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  async release(lease: Lease): Promise<void> {
    if (lease instanceof HeldLease) await this.#release([lease]);
  }

  async holders(keys: readonly string[]): Promise<readonly (string | null)[]> {
    const answers = await Promise.all(inChunks(keys, KEYS_PER_CALL).map((chunk) => this.#coordination.holders(chunk))).catch(nobodyCanSay);
    return answers.flat().map((holder) => (holder ? this.#runnerOf(holder) : null));
  }

  /**
   * Returns null for an earlier process of a node, because its leases expire and do not pass to the
   * new process.
   */
  #runnerOf(holder: string): string | null {
    return this.#options.isReplaced?.(holder) ? null : nameOf(holder).id;
  }

  held(): readonly Lease[] {
    return [...this.#held.values()];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#nextRound?.();
    this.#nextPoll?.();
    await Promise.all(this.#taking.values());
    await this.#release([...this.#held.values()]);
  }

  async #take(key: string): Promise<HeldLease | null> {
    const { clock } = this.#options;
    const by = { key, holder: `${this.#owner}${this.#takings++}.${clock.now()}` };
    const sentAt = clock.monotonic();
    if (!(await this.#claim(by))) return null;
    const lease = new HeldLease(by, this.#safeUntil(sentAt), this.#watch);
    if (this.#isClosed || this.#options.isOut?.() || !lease.isSafe()) await this.#release([lease]);
    else this.#keep(lease);
    return this.#held.get(key) ?? null;
  }

  /**
   * Never accepts an earlier acquisition, because anyone with access to Redis could restore an old
   * one. Releases the lease if the request fails.
   */
  async #claim(by: HeldBy): Promise<boolean> {
    try {
      const found = await this.#coordination.acquire(by.key, by.holder, this.#options.ttlMs);
      if (found === null) this.#noteWithheld();
      return found === by.holder;
    } catch {
      this.#coordination.release([by]).catch(() => {});
      return false;
    }
  }

  #noteWithheld(): void {
    const { clock, log } = this.#options;
    if (clock.monotonic() < this.#quietUntil) return;
    this.#quietUntil = clock.monotonic() + SAY_AGAIN_MS;
    log.warn(
      { event: 'lease.withheld' },
      'no new lease is given for one lease life: Redis was started, replaced or emptied, or somebody wrote so',
    );
  }

  #keep(lease: HeldLease): void {
    this.#held.set(lease.key, lease);
    this.#nextRound ??= this.#roundIn(this.#options.ttlMs / ROUNDS_PER_LIFE);
    this.#nextPoll ??= this.#pollAt(lease.safeUntil);
  }

  #drop(lease: HeldLease): void {
    if (this.#held.get(lease.key) === lease) this.#held.delete(lease.key);
  }

  async #release(leases: readonly HeldLease[]): Promise<void> {
    const toRelease = leases.filter(({ isToRelease }) => isToRelease);
    for (const lease of toRelease) {
      this.#drop(lease);
      lease.release();
    }
    await Promise.allSettled(inChunks(toRelease, KEYS_PER_CALL).map((chunk) => this.#coordination.release(chunk)));
  }

  #roundIn(ms: number): Cancel {
    return this.#options.clock.after(ms, () => void this.#round());
  }

  async #round(): Promise<void> {
    const startedAt = this.#options.clock.monotonic();
    this.#loseDoubtful();
    const outcomes = await Promise.all(inChunks([...this.#held.values()], KEYS_PER_CALL).map((chunk) => this.#renew(chunk)));
    if (this.#isClosed) return;
    const { ttlMs, clock } = this.#options;
    const isAnswered = outcomes.every(Boolean);
    const restMs = isAnswered ? startedAt + ttlMs / ROUNDS_PER_LIFE - clock.monotonic() : ttlMs / RETRIES_PER_LIFE;
    this.#nextRound = this.#held.size === 0 ? null : this.#roundIn(Math.max(0, restMs));
  }

  async #renew(leases: readonly HeldLease[]): Promise<boolean> {
    const { clock, ttlMs } = this.#options;
    const sentAt = clock.monotonic();
    const answers = await this.#coordination.renew(leases, ttlMs).catch(() => null);
    if (answers === null) return false;
    this.#countLost('another holds them, or Redis forgot them', () => {
      for (const [i, lease] of leases.entries()) {
        if (answers[i] === true) lease.prolong(this.#safeUntil(sentAt));
        else lease.lose('gone');
      }
    });
    return true;
  }

  #safeUntil(sentAt: number): number {
    const { ttlMs } = this.#options;
    return sentAt + ttlMs - ttlMs / MARGIN_SHARE;
  }

  #pollAt(moment: number): Cancel {
    return this.#options.clock.after(Math.max(1, Math.ceil(moment - this.#options.clock.monotonic())), () => this.#look());
  }

  #look(): void {
    this.#loseDoubtful();
    let earliest = Number.POSITIVE_INFINITY;
    for (const { safeUntil } of this.#held.values()) earliest = Math.min(earliest, safeUntil);
    this.#nextPoll = this.#held.size === 0 ? null : this.#pollAt(earliest);
  }

  #loseDoubtful(): void {
    this.#countLost('they could not be renewed in time', () => {
      for (const lease of this.#held.values()) lease.isSafe();
    });
  }

  #countLost(why: string, look: () => void): void {
    const before = this.#held.size;
    look();
    const leases = before - this.#held.size;
    if (leases > 0) this.#options.log.warn({ event: 'lease.lost', leases, why }, 'leases were lost');
  }
}

function nobodyCanSay(cause: unknown): never {
  throw runtimeRefusal('UNAVAILABLE', {}, { cause });
}
