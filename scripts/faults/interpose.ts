import { askedAround } from '../../store/engines/asked-around.ts';
import type { Collection, CollectionSpec, Doc, Filter, Store, Update } from '../../store/port.ts';

export interface Operation {
  /** Empty if the operation concerns the whole store. */
  readonly collection: string;
  readonly name: keyof Collection<Doc> | 'ping' | 'sweep';
  readonly filter?: Filter;
  readonly update?: Update;
  readonly docs?: readonly Doc[];
}

export type Around = <T>(operation: Operation, run: () => Promise<T>) => Promise<T>;

export function interpose(store: Store, around: Around): Store {
  return {
    name: store.name,
    collection: <T extends Doc>(spec: CollectionSpec) => interposed<T>(spec.name, store.collection<T>(spec), around),
    prepare: () => store.prepare(),
    ping: () => around({ collection: '', name: 'ping' }, () => store.ping()),
    sweep: (now) => around({ collection: '', name: 'sweep' }, () => store.sweep(now)),
    close: () => store.close(),
  };
}

function interposed<T extends Doc>(collection: string, inner: Collection<T>, around: Around): Collection<T> {
  const on = (name: Operation['name'], filter: Filter, update?: Update): Operation => ({
    collection,
    name,
    filter,
    ...(update && { update }),
  });
  return {
    find: (filter, options) => askedAround(inner.find(filter, options), (run) => around(on('find', filter), run)),
    findOne: (filter, options) => around(on('findOne', filter), () => inner.findOne(filter, options)),
    countDocuments: (filter, options) => around(on('countDocuments', filter), () => inner.countDocuments(filter, options)),
    insertOne: (doc) => around({ collection, name: 'insertOne', docs: [doc] }, () => inner.insertOne(doc)),
    insertMany: (docs, options) => around({ collection, name: 'insertMany', docs }, () => inner.insertMany(docs, options)),
    updateOne: (filter, update, options) => around(on('updateOne', filter, update), () => inner.updateOne(filter, update, options)),
    updateMany: (filter, update) => around(on('updateMany', filter, update), () => inner.updateMany(filter, update)),
    findOneAndUpdate: (filter, update, options) =>
      around(on('findOneAndUpdate', filter, update), () => inner.findOneAndUpdate(filter, update, options)),
    findOneAndDelete: (filter) => around(on('findOneAndDelete', filter), () => inner.findOneAndDelete(filter)),
    deleteOne: (filter) => around(on('deleteOne', filter), () => inner.deleteOne(filter)),
    deleteMany: (filter) => around(on('deleteMany', filter), () => inner.deleteMany(filter)),
  };
}
