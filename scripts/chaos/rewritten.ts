import type { Collection, Doc, Filter, Store, Update } from '../../store/port.ts';

/** `update` is empty for a deletion. */
export interface Write {
  readonly filter: Filter;
  readonly update: Update;
}

export function rewritten(store: Store, rewrite: (collection: string, write: Write) => Write): Store {
  return {
    name: store.name,
    collection: <T extends Doc>(spec: Parameters<Store['collection']>[0]) =>
      rewriting<T>(store.collection<T>(spec), (filter, update) => rewrite(spec.name, { filter, update })),
    prepare: () => store.prepare(),
    ping: () => store.ping(),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
  };
}

function rewriting<T extends Doc>(inner: Collection<T>, rewrite: (filter: Filter, update: Update) => Write): Collection<T> {
  const write = <A>(filter: Filter, update: Update, run: (filter: Filter, update: Update) => A): A => {
    const changed = rewrite(filter, update);
    return run(changed.filter, changed.update);
  };
  return {
    find: (filter, options) => inner.find(filter, options),
    findOne: (filter, options) => inner.findOne(filter, options),
    countDocuments: (filter, options) => inner.countDocuments(filter, options),
    insertOne: (doc) => inner.insertOne(doc),
    insertMany: (docs, options) => inner.insertMany(docs, options),
    updateOne: (filter, update, options) => write(filter, update, (f, u) => inner.updateOne(f, u, options)),
    updateMany: (filter, update) => write(filter, update, (f, u) => inner.updateMany(f, u)),
    findOneAndUpdate: (filter, update, options) => write(filter, update, (f, u) => inner.findOneAndUpdate(f, u, options)),
    findOneAndDelete: (filter) => write(filter, {}, (f) => inner.findOneAndDelete(f)),
    deleteOne: (filter) => inner.deleteOne(filter),
    deleteMany: (filter) => inner.deleteMany(filter),
  };
}
