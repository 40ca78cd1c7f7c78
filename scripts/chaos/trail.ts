import type { Filter, Store, Update } from '../../store/port.ts';
import { rewritten } from './rewritten.ts';

export const OWNED = -1;

/** Makes rows record the epochs of their writers, in the order in which the store applied the writes. */
export function trailed(store: Store): Store {
  return rewritten(store, (collection, { filter, update }) => {
    const step = collection === 'devices' || collection === 'messages' ? stepOf(filter, update) : null;
    return { filter, update: step === null ? update : { ...update, $push: { ...update.$push, trail: step } } };
  });
}

/** Recognizes owners' writes by their form in the store's modules for devices and messages. */
function stepOf(filter: Filter, update: Update): number | null {
  if (update.$inc?.['epoch'] === 1) return OWNED;
  return epochIn(filter);
}

export function epochIn(filter: Filter): number | null {
  const epoch: unknown = filter['epoch'];
  if (typeof epoch === 'number') return epoch;
  if (typeof epoch !== 'object' || epoch === null || !('$lte' in epoch)) return null;
  return Number(epoch.$lte);
}

export function staleInDevice(trail: readonly number[]): number {
  let epoch = 0;
  let stale = 0;
  for (const step of trail) {
    if (step === OWNED) epoch += 1;
    else if (step !== epoch) stale += 1;
  }
  return stale;
}

export function staleInMessage(trail: readonly number[]): number {
  let highest = 0;
  let stale = 0;
  for (const step of trail) {
    if (step < highest) stale += 1;
    highest = Math.max(highest, step);
  }
  return stale;
}
