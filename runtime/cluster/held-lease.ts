import type { HeldBy, Lease } from './port.ts';

export interface LeaseWatch {
  monotonic(): number;
  drop(lease: HeldLease): void;
}

/**
 *   held ──isSafe or the keeper's poll came too late──▶ doubtful (Redis may still list it as ours)
 *    ├────renewal answered "not yours"──▶ gone
 *    └────release──▶ gone, without notifying listeners
 */
type Life = 'held' | 'doubtful' | 'gone';

const NOBODY: readonly (() => void)[] = [];

export class HeldLease implements Lease, HeldBy {
  readonly key: string;
  readonly holder: string;
  readonly #watch: LeaseWatch;
  #life: Life = 'held';
  #safeUntil: number;
  #listeners: readonly (() => void)[] = NOBODY;
  #wasLost = false;

  constructor(by: HeldBy, safeUntil: number, watch: LeaseWatch) {
    this.key = by.key;
    this.holder = by.holder;
    this.#safeUntil = safeUntil;
    this.#watch = watch;
  }

  get safeUntil(): number {
    return this.#safeUntil;
  }

  get isToRelease(): boolean {
    return this.#life !== 'gone';
  }

  isSafe(): boolean {
    if (this.#life !== 'held') return false;
    if (this.#watch.monotonic() < this.#safeUntil) return true;
    this.lose('doubtful');
    return false;
  }

  onLost(listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
    if (this.#wasLost) queueMicrotask(() => this.#tell());
  }

  /** A lease that was lost stays lost, even if its renewal was only late. */
  prolong(safeUntil: number): void {
    if (this.isSafe()) this.#safeUntil = Math.max(this.#safeUntil, safeUntil);
  }

  lose(into: Exclude<Life, 'held'>): void {
    if (this.#life !== 'held') return;
    this.#life = into;
    this.#wasLost = true;
    this.#watch.drop(this);
    // Notifies listeners later, because `isSafe` is called in the middle of a step.
    queueMicrotask(() => this.#tell());
  }

  release(): void {
    this.#life = 'gone';
    this.#listeners = NOBODY;
  }

  #tell(): void {
    const listeners = this.#listeners;
    this.#listeners = NOBODY;
    for (const listener of listeners) listener();
  }
}
