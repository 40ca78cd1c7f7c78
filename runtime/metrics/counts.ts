interface Cell {
  n: number;
}

/**
 * Counts under names that are known beforehand: anything else counts as `rest`, so that no caller can make another one. To count costs a look-up and
 * an addition; metrics read it when they are asked.
 */
export class Counts {
  readonly #cells: ReadonlyMap<string, Cell>;
  readonly #rest: Cell = { n: 0 };
  readonly #restName: string;

  constructor(names: Iterable<string>, rest = 'other') {
    this.#cells = new Map([...names].map((name) => [name, { n: 0 }]));
    this.#restName = rest;
  }

  add(name: string, by = 1): void {
    (this.#cells.get(name) ?? this.#rest).n += by;
  }

  /** Every name, those without a count too, with how often it was counted; the rest only where there is any. */
  *entries(): Generator<readonly [name: string, count: number]> {
    for (const [name, { n }] of this.#cells) yield [name, n];
    if (this.#rest.n > 0) yield [this.#restName, this.#rest.n];
  }
}
