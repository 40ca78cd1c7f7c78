import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';

type Reading = 'find' | 'findOne' | 'countDocuments';

/** Which reading is meant: the first one of this collection, or the first one for which `when` holds. */
interface Interrupted {
  readonly name: string;
  readonly reading: Reading;
  readonly when?: () => boolean;
}

/** A store in which somebody else does something just after this reading is answered: before its reader acts on it. */
export function interruptedStore(store: Store, { name, reading, when = () => true }: Interrupted, meanwhile: () => unknown): Store {
  let isOver = false;
  async function followed<R>(answer: Promise<R>): Promise<R> {
    const read = await answer;
    if (isOver || !when()) return read;
    isOver = true;
    await meanwhile();
    return read;
  }
  const interrupted = <T extends Doc>(own: Collection<T>): Collection<T> => {
    const find: Collection<T>['find'] = (...asked) => {
      const cursor = own.find(...asked);
      return { toArray: () => followed(cursor.toArray()), [Symbol.asyncIterator]: () => cursor[Symbol.asyncIterator]() };
    };
    const each = {
      find,
      findOne: (...asked: Parameters<Collection<T>['findOne']>) => followed(own.findOne(...asked)),
      countDocuments: (...asked: Parameters<Collection<T>['countDocuments']>) => followed(own.countDocuments(...asked)),
    };
    return new Proxy(own, {
      get(target, member) {
        if (member === reading) return each[reading];
        const other = Reflect.get(target, member);
        return typeof other === 'function' ? other.bind(target) : other;
      },
    });
  };
  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
    const own = store.collection<T>(spec);
    return spec.name === name ? interrupted(own) : own;
  };
  return {
    name: store.name,
    collection,
    prepare: () => store.prepare(),
    ping: () => store.ping(),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
  };
}
