import { join } from 'node:path';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { Collection, CollectionSpec, Doc, Filter, Store } from '../../../store/port.ts';
import { storeHooksSpec } from '../../../store/store-links/hooks.ts';
import type { Config } from '../../wiring/config.ts';
import { scratchDirectory } from '../scratch.ts';

/** What a bench node is started with so that its webhooks are stored and none is ever found waiting. */
export function unread(): [changes: Partial<Config>, store: Store] {
  const data_dir = scratchDirectory();
  const own = openEmbedded({ path: join(data_dir, 'gateway.db'), log: { warn() {} } });
  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
    const rows = own.collection<T>(spec);
    return spec.name === storeHooksSpec.name ? blind(rows) : rows;
  };
  const { name } = own;
  return [
    { data_dir },
    {
      name,
      collection,
      prepare: () => own.prepare(),
      ping: () => own.ping(),
      sweep: (now) => own.sweep(now),
      close: () => own.close(),
    },
  ];
}

const blind = <T extends Doc>(rows: Collection<T>): Collection<T> =>
  new Proxy(rows, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'find') return member.bind(target);
      return (filter: Filter, options: object) => target.find(filter['pending'] === true ? { ...filter, pending: false } : filter, options);
    },
  });
