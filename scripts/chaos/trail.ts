import type { Filter, Store, Update } from '../../store/port.ts';
import { rewritten } from './rewritten.ts';

/** Entry of a device's trail for a change of owner. */
export const OWNED = -1;

/**
 * A store that keeps a field `trail` in every row of a device or a message: the epoch of each owner that
 * wrote to the row, in the order in which the store applied the writes, and OWNED for each change of owner.
 * The entry is part of the same write, so it does not depend on the nodes' reports.
 */
export function trailed(store: Store): Store {
  return rewritten(store, (collection, { filter, update }) => {
    const step = collection === 'devices' || collection === 'messages' ? stepOf(filter, update) : null;
    return { filter, update: step === null ? update : { ...update, $push: { ...update.$push, trail: step } } };
  });
}

/** Recognizes owners' writes by the form that store/devices/devices.ts and store/messaging/messages.ts use. */
function stepOf(filter: Filter, update: Update): number | null {
  if (update.$inc?.['epoch'] === 1) return OWNED;
  return epochIn(filter);
}

/** Returns the epoch in a write's filter; null if the write is not an owner's. */
export function epochIn(filter: Filter): number | null {
  const epoch: unknown = filter['epoch'];
  if (typeof epoch === 'number') return epoch;
  if (typeof epoch !== 'object' || epoch === null || !('$lte' in epoch)) return null;
  return Number(epoch.$lte);
}

/** Counts the writes to a device's row under an epoch other than the current one. */
export function staleInDevice(trail: readonly number[]): number {
  let epoch = 0;
  let stale = 0;
  for (const step of trail) {
    if (step === OWNED) epoch += 1;
    else if (step !== epoch) stale += 1;
  }
  return stale;
}

/** Counts the writes to a message's row that follow a write of a later epoch. */
export function staleInMessage(trail: readonly number[]): number {
  let highest = 0;
  let stale = 0;
  for (const step of trail) {
    if (step < highest) stale += 1;
    highest = Math.max(highest, step);
  }
  return stale;
}
