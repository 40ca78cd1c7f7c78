import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';

/** Collection methods that write. */
export const WRITES: ReadonlySet<string> = new Set([
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'findOneAndUpdate',
  'findOneAndDelete',
  'deleteOne',
  'deleteMany',
]);

/**
 * A store as seen by a process that dies at its nth write, before or just after the write. All later operations fail.
 */
export function mortalStore(store: Store, at: { readonly write: number; readonly isMade: boolean }): { store: Store; isDead(): boolean } {
  let writes = 0;
  let isDead = false;
  const dead = () => Promise.reject(new Error('the process is dead'));

  async function lived(isWrite: boolean, work: () => Promise<unknown>): Promise<unknown> {
    if (isDead) return dead();
    if (!isWrite) return work();
    writes += 1;
    if (writes < at.write) return work();
    isDead = true;
    if (at.isMade) await work();
    return dead();
  }

  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> =>
    new Proxy(store.collection<T>(spec), {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name === 'find') return member.bind(target);
        return (...args: unknown[]) => lived(WRITES.has(String(name)), () => member.apply(target, args));
      },
    });
  return { store: { ...store, name: store.name, collection, prepare: () => store.prepare() }, isDead: () => isDead };
}
