import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';

export function replacingStore(store: Store, members: <T extends Doc>(name: string, raw: Collection<T>) => Partial<Collection<T>>): Store {
  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
    const raw = store.collection<T>(spec);
    const own = members(spec.name, raw);
    return new Proxy(raw, {
      get(target, member) {
        const there: unknown = Reflect.get(own, member) ?? Reflect.get(target, member);
        return typeof there === 'function' ? there.bind(target) : there;
      },
    });
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
