import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';
import { WRITES } from './mortal-store.ts';
import type { StoreKind } from './stores.ts';

/** A store that rejects writes to these collections while `isDown` returns true. */
export const refusing = (kind: StoreKind, collections: readonly string[], isDown: () => boolean): StoreKind => ({
  name: kind.name,
  fresh: async (scope) => refusingStore(await kind.fresh(scope), collections, isDown),
});

const refusingStore = (store: Store, refused: readonly string[], isDown: () => boolean): Store => ({
  name: store.name,
  prepare: () => store.prepare(),
  ping: () => store.ping(),
  sweep: (now) => store.sweep(now),
  close: () => store.close(),
  collection: <T extends Doc>(spec: CollectionSpec): Collection<T> => {
    const own = store.collection<T>(spec);
    if (!refused.includes(spec.name)) return own;
    return new Proxy(own, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (!WRITES.has(String(name))) return typeof member === 'function' ? member.bind(target) : member;
        return (...args: unknown[]) => (isDown() ? Promise.reject(new Error('the store refuses')) : member.apply(target, args));
      },
    });
  },
});
