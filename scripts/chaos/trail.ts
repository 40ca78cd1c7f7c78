import type { Filter, Store, Update } from '../../store/port.ts';
import { rewritten } from './rewritten.ts';

/** What a change of owner leaves in a device's trail. */
export const OWNED = -1;

/**
 * A store in which every row of a device or a message keeps, in the field `trail`, the epoch of each owner that wrote to it, in the order in
 * which the store took the writes, and OWNED for each change of owner. Put there in the same write: nobody has to be believed.
 */
export function trailed(store: Store): Store {
  return rewritten(store, (collection, { filter, update }) => {
    const step = collection === 'devices' || collection === 'messages' ? stepOf(filter, update) : null;
    return { filter, update: step === null ? update : { ...update, $push: { ...update.$push, trail: step } } };
  });
}

/** The writes of owners as store/devices/devices.ts and store/messaging/messages.ts make them. */
function stepOf(filter: Filter, update: Update): number | null {
  if (update.$inc?.['epoch'] === 1) return OWNED;
  return epochIn(filter);
}

/** The epoch that a write presents; null: it is not an owner's. */
export function epochIn(filter: Filter): number | null {
  const epoch: unknown = filter['epoch'];
  if (typeof epoch === 'number') return epoch;
  if (typeof epoch !== 'object' || epoch === null || !('$lte' in epoch)) return null;
  return Number(epoch.$lte);
}

/** How many writes of a device's row were made under another epoch than the one it had at that moment. */
export function staleInDevice(trail: readonly number[]): number {
  let epoch = 0;
  let stale = 0;
  for (const step of trail) {
    if (step === OWNED) epoch += 1;
    else if (step !== epoch) stale += 1;
  }
  return stale;
}

/** How many writes of a message's row came after one of a younger epoch. */
export function staleInMessage(trail: readonly number[]): number {
  let highest = 0;
  let stale = 0;
  for (const step of trail) {
    if (step < highest) stale += 1;
    highest = Math.max(highest, step);
  }
  return stale;
}
