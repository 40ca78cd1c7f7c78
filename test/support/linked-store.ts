import type { Collection, CollectionSpec, Cursor, Doc, Store } from '../../store/port.ts';

/** One node's link to the store. */
export interface StoreLink {
  /** Makes all further operations fail immediately, as when no server is found. */
  cut(): void;
  /** Makes all further operations wait, and fail when the link is restored. */
  hold(): void;
  mend(): void;
}

/** Returns the store as one node sees it over a link that can break. */
export function linkedStore(store: Store): { readonly store: Store; readonly link: StoreLink } {
  let passes: (<T>(ask: () => Promise<T>) => Promise<T>) | null = null;
  let mended = Promise.withResolvers<void>();
  const through = <T>(ask: () => Promise<T>): Promise<T> => (passes ? passes(ask) : ask());
  const linked: Store = {
    name: store.name,
    collection: <T extends Doc>(spec: CollectionSpec) => linkedCollection(store.collection<T>(spec), through),
    ...(store.together && {
      together: <R>(issue: () => R, isStrict?: boolean): R => (store.together ? store.together(issue, isStrict) : issue()),
    }),
    ...(store.soon && { soon: () => store.soon?.() ?? Promise.resolve() }),
    ...(store.writesTo && { writesTo: (collection: string): number => store.writesTo?.(collection) ?? 0 }),
    prepare: () => through(() => store.prepare()),
    ping: () => through(() => store.ping()),
    sweep: (now) => through(() => store.sweep(now)),
    close: () => store.close(),
  };
  return {
    store: linked,
    link: {
      cut: () => {
        passes = () => Promise.reject(noServer());
      },
      hold: () => {
        passes = () => mended.promise.then(() => Promise.reject(noServer()));
      },
      mend: () => {
        passes = null;
        mended.resolve();
        mended = Promise.withResolvers();
      },
    },
  };
}

/** The error that the driver throws. */
const noServer = (): Error => Object.assign(new Error('no server was found'), { name: 'MongoServerSelectionError' });

type Through = <T>(ask: () => Promise<T>) => Promise<T>;

function linkedCollection<T extends Doc>(collection: Collection<T>, through: Through): Collection<T> {
  return new Proxy(collection, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'find') return (...args: Parameters<Collection<T>['find']>) => linkedCursor(() => target.find(...args), through);
      return (...args: unknown[]) => through(() => member.apply(target, args));
    },
  });
}

function linkedCursor<T>(open: () => Cursor<T>, through: Through): Cursor<T> {
  return {
    toArray: () => through(() => open().toArray()),
    async *[Symbol.asyncIterator]() {
      const cursor = await through(async () => open());
      for await (const one of { [Symbol.asyncIterator]: () => cursor[Symbol.asyncIterator]() }) yield await through(async () => one);
    },
  };
}
