import { setImmediate as turn } from 'node:timers/promises';
import type { Collection, CollectionSpec, Doc, Filter, Store } from '../../../store/port.ts';

/** Guards that keep billing correct. A run can disable each of them to show the damage. */
export const GUARDS = ['one name per payment', 'one number per invoice', 'the account revision check'] as const;
export type Guard = (typeof GUARDS)[number];

/** Returns the store as a gateway without this guard would use it. */
export function unguarded(store: Store, without: Guard | undefined): Store {
  const own = (name: string) => {
    if (without === 'the account revision check' && name === 'billing_accounts') return withoutRevision;
    if (without === 'one number per invoice' && name === 'invoice_numbers') return numberedAnew;
    return null;
  };
  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> => {
    const members = own(spec.name);
    const found = store.collection<T>(spec);
    return members ? new Proxy(found, { get: (target, name) => members(target, name) ?? bound(target, name) }) : found;
  };
  return { ...store, name: store.name, collection, prepare: () => store.prepare() };
}

function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name);
  return typeof member === 'function' ? member.bind(target) : member;
}

const SLOWEST = 7;
let reads = 0;

/** Disables the revision check: the last writer wins. Reads take a varying number of event-loop ticks. */
function withoutRevision<T extends Doc>(target: Collection<T>, name: string | symbol): unknown {
  if (name === 'findOne')
    return async (...asked: Parameters<Collection<T>['findOne']>) => {
      const found = await target.findOne(...asked);
      for (let turns = reads++ % SLOWEST; turns > 0; turns -= 1) await turn();
      return found;
    };
  if (name !== 'updateOne') return null;
  return ({ rev: _any, ...filter }: Filter, ...change: [never]) => target.updateOne(filter, ...change);
}

let places = 0;

/** Makes a restarted process forget that the invoice already has a number. */
function numberedAnew<T extends Doc>(target: Collection<T>, name: string | symbol): unknown {
  if (name === 'findOne') return (filter: Filter, options: object) => ('invoice' in filter ? null : target.findOne(filter, options));
  if (name !== 'insertOne') return null;
  return (row: T) => {
    places += 1;
    return target.insertOne({ ...row, invoice: `${places}` });
  };
}
