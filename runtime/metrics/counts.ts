interface Cell {
  n: number;
}

/** Names that were not given at the start are counted as `rest`, so callers cannot create new counters. */
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

  *entries(): Generator<readonly [name: string, count: number]> {
    for (const [name, { n }] of this.#cells) yield [name, n];
    if (this.#rest.n > 0) yield [this.#restName, this.#rest.n];
  }
}
