/**
 * Puts idle actors to sleep, between 1 and 1.25 times their kind's `sleepAfterMs` after their last
 * message. One timer serves the whole system and runs only while an actor that may sleep is awake.
 * Large numbers of actors are put to sleep in batches, so that other work is not delayed.
 */

import type { Cancel, Clock } from '../clock.ts';
import type { Population } from './population.ts';

const LOOKS_PER_REST = 4;
const SLEEPERS_PER_LOOK = 2_000;
const HURRY_MS = 20;

export class Sweep {
  readonly #clock: Clock;
  readonly #populations: () => Iterable<Population>;
  #cancel: Cancel | null = null;
  #everyMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, populations: () => Iterable<Population>) {
    this.#clock = clock;
    this.#populations = populations;
  }

  consider(sleepAfterMs: number): void {
    this.#everyMs = Math.min(this.#everyMs, Math.max(1, Math.floor(sleepAfterMs / LOOKS_PER_REST)));
  }

  start(): void {
    if (this.#cancel === null) this.#lookIn(this.#everyMs);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #lookIn(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => this.#poll());
  }

  #poll(): void {
    this.#cancel = null;
    const sleepers = this.#putToSleep();
    if (sleepers >= SLEEPERS_PER_LOOK) this.#lookIn(HURRY_MS);
    else if (this.#anybodyAwake()) this.#lookIn(this.#everyMs);
  }

  #putToSleep(): number {
    const now = this.#clock.monotonic();
    let sleepers = 0;
    for (const population of this.#populations()) {
      const { sleepAfterMs } = population.kind;
      if (sleepAfterMs !== undefined) sleepers += quieten(population, now - sleepAfterMs, SLEEPERS_PER_LOOK - sleepers);
    }
    return sleepers;
  }

  #anybodyAwake(): boolean {
    for (const population of this.#populations()) if (population.kind.sleepAfterMs !== undefined && population.size > 0) return true;
    return false;
  }
}

function quieten(population: Population, quietSince: number, most: number): number {
  let sleepers = 0;
  for (const cell of population.cells()) {
    if (sleepers >= most) break;
    if (cell.lastMessageAt <= quietSince && cell.sleep()) sleepers += 1;
  }
  return sleepers;
}
