import { asError, runtimeRefusal } from '../errors.ts';
import { Ask } from './ask.ts';
import type { Tagged } from './behaviour.ts';
import type { Cell } from './cell.ts';
import type { Population } from './population.ts';

const ASK_TIMEOUT_MS = 10_000;

export class Address {
  readonly id: string;
  readonly #population: Population;
  #cell: Cell | null = null;

  constructor(id: string, population: Population) {
    this.id = id;
    this.#population = population;
  }

  get kind(): string {
    return this.#population.name;
  }

  tell(command: Tagged): void {
    if (!this.#reach().accept(command)) throw runtimeRefusal('OVERLOADED');
  }

  ask(command: Tagged, timeoutMs: number = ASK_TIMEOUT_MS): Promise<unknown> {
    const ask = new Ask(command);
    try {
      if (this.#reach().accept(ask)) this.#population.deadlines.add(ask, timeoutMs, this.#population.dispatcher.monotonic());
      else ask.refuseWith('OVERLOADED');
    } catch (cause) {
      ask.refuse(asError(cause));
    }
    return ask.promise;
  }

  #reach(): Cell {
    if (this.#cell === null || this.#cell.hasEnded) this.#cell = this.#population.reach(this.id);
    return this.#cell;
  }
}
