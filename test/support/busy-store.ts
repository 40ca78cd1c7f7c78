import { askedAround } from '../../store/engines/asked-around.ts';
import type { Collection, CollectionSpec, Cursor, Doc, Store } from '../../store/port.ts';

/** Counts pending store operations, so that virtual time can wait for real servers. */
export function busyStore(store: Store): { readonly store: Store; isBusy(): boolean; completed(): number } {
  let [under, completed] = [0, 0];
  const count = <T>(work: Promise<T>): Promise<T> => {
    under += 1;
    const over = (): void => {
      under -= 1;
      completed += 1;
    };
    work.then(over, over);
    return work;
  };
  const watched: Store = {
    name: store.name,
    collection: <T extends Doc>(spec: CollectionSpec) => watchedCollection(store.collection<T>(spec), count),
    ...(store.together && {
      together: <R>(issue: () => R, isStrict?: boolean): R => (store.together ? store.together(issue, isStrict) : issue()),
    }),
    // `soon` waits for time or for other callers, so it does not count as pending.
    ...(store.soon && { soon: () => store.soon?.() ?? Promise.resolve() }),
    ...(store.writesTo && { writesTo: (collection: string): number => store.writesTo?.(collection) ?? 0 }),
    prepare: () => store.prepare(),
    ping: () => count(store.ping()),
    ...(store.isAway && { isAway: () => store.isAway?.() ?? false }),
    sweep: (now) => count(store.sweep(now)),
    close: () => store.close(),
  };
  return { store: watched, isBusy: () => under > 0, completed: () => completed };
}

function watchedCollection<T extends Doc>(collection: Collection<T>, count: <R>(work: Promise<R>) => Promise<R>): Collection<T> {
  return new Proxy(collection, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args);
        return result instanceof Promise ? count(result) : askedAround(result as Cursor<T>, (ask) => count(ask()), false);
      };
    },
  });
}
