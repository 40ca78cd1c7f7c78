import { RecentCache } from '../../runtime/recent-cache.ts';
import type { CollectionSpec, Store } from '../port.ts';

/** Does not cache if other processes may write. `read` must issue its query synchronously. */
export function whileUnchanged<V>(
  store: Pick<Store, 'writesTo'>,
  { name }: Pick<CollectionSpec, 'name'>,
  size: number,
): (key: string, read: () => Promise<V>) => Promise<V> {
  let seen = new RecentCache<string, Promise<V>>(size);
  let asOf = -1;
  return (key, read) => {
    if (!store.writesTo) return read();
    const writes = store.writesTo(name);
    if (writes !== asOf) {
      seen = new RecentCache(size);
      asOf = writes;
    }
    const known = seen.get(key);
    if (known !== undefined) return known;
    const into = seen;
    const reading = read();
    into.set(key, reading);
    reading.catch(() => into.delete(key));
    return reading;
  };
}
