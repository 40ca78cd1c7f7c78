import type { Ground } from './ground.ts';

/** Creates something once for each tenant, however many cases need it. */
export class OnceATenant<T> {
  readonly #made = new WeakMap<Ground['api'], Promise<T>>();
  readonly #make: (ground: Ground) => Promise<T>;

  constructor(make: (ground: Ground) => Promise<T>) {
    this.#make = make;
  }

  of(ground: Ground): Promise<T> {
    const made = this.#made.get(ground.api) ?? this.#make(ground);
    this.#made.set(ground.api, made);
    return made;
  }
}
