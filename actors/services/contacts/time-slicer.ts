import { FairSlices, fairSlices } from '../../../runtime/fair-slices.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal } from '../../domain/refusals.ts';

/** Queries with a waiting caller: each takes seconds at most, one slice after the other. */
const MAX_CALLERS = 50;
/** Of one tenant. */
const SHARE = 4;
const MAX_WAITING = 16;

/**
 * Long looks at contacts and messages go in slices. However many callers are at it, one slice is done in a turn of the event loop, so that all of them
 * together hold it no longer than one does, and devices have every other turn. Tenants have their slices in turn.
 */
export class TimeSlicer {
  readonly #callers = new FairSlots({ slots: MAX_CALLERS, share: SHARE, waiting: MAX_WAITING, full });
  readonly #slices: FairSlices;

  constructor(slices = new FairSlices()) {
    this.#slices = slices;
  }

  /** Refuses OVERLOADED when too many look for this tenant already. */
  during<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    return this.#callers.run(tenantId, work);
  }

  /** Resolves in the next free turn of this tenant. */
  turn(tenantId: string): Promise<void> {
    return this.#slices.turn(tenantId);
  }

  /** Runs one slice in a turn of this tenant. Rejects as `work` does. */
  slice<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    return this.#slices.run(tenantId, work);
  }
}

const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });

/** Of this process, as its event loop is. */
export const timeSlicer = new TimeSlicer(fairSlices);
