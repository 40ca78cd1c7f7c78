/**
 * The actors of one process. An actor wakes on its first message, restarts after a failure
 * according to its policy, and sleeps when it has been idle for a while. Actors live in memory
 * only; `wake` loads their data.
 */

import type { Clock } from '../clock.ts';
import { Deadlines } from '../deadlines.ts';
import type { RuntimeCode } from '../errors.ts';
import type { ActorKind, ActorRef } from './actor.ts';
import { Address } from './address.ts';
import type { Tagged } from './behaviour.ts';
import type { AnyKind } from './cell.ts';
import { Dispatcher } from './dispatcher.ts';
import { Population } from './population.ts';
import { Sweep } from './sweep.ts';

export interface ActorSystemOptions {
  readonly onFailure?: (kind: string, id: string, cause: unknown) => void;
  readonly onEscalate?: (kind: string, id: string, cause: unknown) => void;
}

export interface Census {
  readonly awake: ReadonlyMap<string, number>;
  readonly waiting: number;
  readonly deepest: number;
}

export class ActorSystem {
  readonly #populations = new Map<string, Population>();
  readonly #clock: Clock;
  readonly #options: ActorSystemOptions;
  readonly #dispatcher: Dispatcher;
  readonly #deadlines: Deadlines;
  readonly #sweep: Sweep;

  constructor(clock: Clock, options: ActorSystemOptions = {}) {
    this.#clock = clock;
    this.#options = options;
    this.#dispatcher = new Dispatcher(clock);
    this.#deadlines = new Deadlines(clock);
    this.#sweep = new Sweep(clock, () => this.#populations.values());
  }

  register<Args, State, C extends Tagged, E extends Tagged, Effect>(kind: ActorKind<Args, State, C, E, Effect>): void {
    const name = kind.behaviour.kind;
    if (this.#populations.has(name)) throw new Error(`actors of kind ${name} are registered already`);
    if (!(kind.mailboxLimit >= 1)) throw new RangeError(`a mailbox of ${name} must hold at least one message`);
    if (kind.sleepAfterMs !== undefined) this.#sweep.consider(kind.sleepAfterMs);
    this.#populations.set(name, this.#populate(kind as unknown as AnyKind));
  }

  ref<C extends Tagged>(kindName: string, id: string): ActorRef<C> {
    return this.address(kindName, id) as unknown as ActorRef<C>;
  }

  address(kindName: string, id: string): Address {
    return new Address(id, this.#population(kindName));
  }

  wake(kindName: string, id: string): void {
    this.#population(kindName).reach(id).beckon();
  }

  has(kindName: string, id: string): boolean {
    return this.#population(kindName).has(id);
  }

  /** False while the actor is waking or about to restart. */
  isAwake(kindName: string, id: string): boolean {
    return this.#population(kindName).isAwake(id);
  }

  async stop(kindName: string, id: string, code: RuntimeCode = 'UNAVAILABLE'): Promise<void> {
    this.#population(kindName).end(id, code);
  }

  async shutdown(): Promise<void> {
    for (const population of this.#populations.values()) population.close();
    this.#sweep.stop();
    this.#deadlines.close();
  }

  present(kindName: string): readonly string[] {
    return [...this.#population(kindName).cells()].map(({ id }) => id);
  }

  awake(kindName: string): readonly string[] {
    return [...this.#population(kindName).cells()].filter((cell) => cell.isAwake).map(({ id }) => id);
  }

  census(): Census {
    const awake = new Map<string, number>();
    let waiting = 0;
    let deepest = 0;
    for (const [name, population] of this.#populations) {
      let count = 0;
      for (const cell of population.cells()) {
        if (cell.isAwake) count += 1;
        waiting += cell.waiting;
        deepest = Math.max(deepest, cell.waiting);
      }
      awake.set(name, count);
    }
    return { awake, waiting, deepest };
  }

  #population(kindName: string): Population {
    const population = this.#populations.get(kindName);
    if (population === undefined) throw new Error(`no actors of kind ${kindName} are registered`);
    return population;
  }

  #populate(kind: AnyKind): Population {
    return new Population(kind, {
      clock: this.#clock,
      dispatcher: this.#dispatcher,
      deadlines: this.#deadlines,
      mayTire: () => this.#sweep.start(),
      failed: (...failure) => this.#options.onFailure?.(...failure),
      gaveUp: (...failure) => this.#options.onEscalate?.(...failure),
    });
  }
}
