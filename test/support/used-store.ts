import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';

interface UsedStore {
  readonly store: Store;
  /** Collections that have their indexes. */
  prepared(): readonly string[];
  /** Removes everything added through the store, once pending writes have ended. Later additions reject. */
  empty(): Promise<void>;
}

/** Wraps a database in which the `known` collections already have their indexes, so that `prepare` can skip them. */
export function usedStore(store: Store, known: readonly string[]): UsedStore {
  const ready = new Set(known);
  const opened = new Map<string, CollectionSpec>();
  const additions = new Additions();
  const prepareMissing = async (): Promise<void> => {
    for (const spec of opened.values()) store.collection(ready.has(spec.name) ? { name: spec.name, indexes: [] } : spec);
    await store.prepare();
    for (const spec of opened.values()) {
      ready.add(spec.name);
      // Sweeps need the full spec.
      store.collection(spec);
    }
  };
  return {
    store: {
      name: store.name,
      collection: <T extends Doc>(spec: CollectionSpec) => {
        opened.set(spec.name, spec);
        return additions.noted(store.collection<T>(spec), spec.name);
      },
      prepare: prepareMissing,
      ping: () => store.ping(),
      sweep: (now) => store.sweep(now),
      close: () => store.close(),
    },
    prepared: () => [...ready],
    async empty() {
      await additions.end();
      await Promise.all(additions.collections().map((name) => store.collection({ name, indexes: [] }).deleteMany({})));
    },
  };
}

/** Tracks which collections received a document. */
class Additions {
  readonly #names = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();
  #isOver = false;

  noted<T extends Doc>(collection: Collection<T>, name: string): Collection<T> {
    const noted = <R>(add: () => Promise<R>): Promise<R> => this.#noted(name, add);
    const own: Pick<Collection<T>, 'insertOne' | 'insertMany' | 'updateOne' | 'findOneAndUpdate'> = {
      insertOne: (...asked) => noted(() => collection.insertOne(...asked)),
      insertMany: (...asked) => noted(() => collection.insertMany(...asked)),
      updateOne: (...asked) => noted(() => collection.updateOne(...asked)),
      findOneAndUpdate: (...asked) => noted(() => collection.findOneAndUpdate(...asked)),
    };
    const base: Collection<T> = Object.create(collection);
    return Object.assign(base, own);
  }

  collections(): readonly string[] {
    return [...this.#names];
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#underWay);
  }

  #noted<R>(name: string, add: () => Promise<R>): Promise<R> {
    if (this.#isOver) return Promise.reject(new Error(`${name} is the next test's already`));
    this.#names.add(name);
    const adding = add();
    this.#underWay.add(adding);
    const over = (): void => void this.#underWay.delete(adding);
    adding.then(over, over);
    return adding;
  }
}
