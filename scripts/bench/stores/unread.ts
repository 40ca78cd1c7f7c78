import { join } from 'node:path';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { Collection, CollectionSpec, Cursor, Doc, Filter, Store } from '../../../store/port.ts';
import { storeHooksSpec } from '../../../store/store-links/hooks.ts';
import type { Config } from '../../wiring/config.ts';
import { scratchDirectory } from '../scratch.ts';

/**
 * `receipt`: a webhook is only stored. `decision`: the gateway also decides what to send, but
 * nothing becomes due.
 */
export type Layer = 'receipt' | 'decision';

/** The path whose queries return no rows, so that the layer after the measured one never starts. */
const UNSEEN: Readonly<Record<Layer, { readonly collection: string; readonly path: string }>> = {
  receipt: { collection: storeHooksSpec.name, path: 'pending' },
  decision: { collection: 'scheduled', path: 'due_at' },
};

export function upTo(layer: Layer): [changes: Partial<Config>, store: Store] {
  const data_dir = scratchDirectory();
  const own = openEmbedded({ path: join(data_dir, 'gateway.db'), log: { warn() {} } });
  const unseen = UNSEEN[layer];
  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
    const rows = own.collection<T>(spec);
    return spec.name === unseen.collection ? blind(rows, unseen.path) : rows;
  };
  const { name } = own;
  return [
    { data_dir },
    {
      name,
      collection,
      writesTo: (collection) => own.writesTo?.(collection) ?? 0,
      // Left out for `receipt`, because `together` would store a webhook and its consequences at
      // once.
      ...(layer !== 'receipt' && { together: (issue) => (own.together ? own.together(issue) : issue()) }),
      prepare: () => own.prepare(),
      ping: () => own.ping(),
      sweep: (now) => own.sweep(now),
      close: () => own.close(),
    },
  ];
}

const blind = <T extends Doc>(rows: Collection<T>, path: string): Collection<T> =>
  new Proxy(rows, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'find') return (filter: Filter, options: object) => (path in filter ? nothing<T>() : target.find(filter, options));
      if (name === 'findOne')
        return (filter: Filter, options: object) => (path in filter ? Promise.resolve(null) : target.findOne(filter, options));
      return member.bind(target);
    },
  });

const nothing = <T>(): Cursor<T> => ({ toArray: () => Promise.resolve([]), async *[Symbol.asyncIterator]() {} });
