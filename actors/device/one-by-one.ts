/** Runs asynchronous work in the order in which it was given, each after the last has ended, whatever its end. */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result;
    return result;
  }
}
