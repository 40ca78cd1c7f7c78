import { FairSlices, fairSlices } from '../../../runtime/fair-slices.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal } from '../../domain/refusals.ts';

/** Maximum number of queries with a waiting caller; each takes at most some seconds. */
const MAX_CALLERS = 50;
/** Maximum number of these queries per tenant. */
const SHARE = 4;
const MAX_WAITING = 16;

/**
 * Runs long reads of contacts and messages in slices, one per event-loop tick, so that many callers
 * block the loop no longer than a single caller. Tenants take turns.
 */
export class TimeSlicer {
  readonly #callers = new FairSlots({ slots: MAX_CALLERS, share: SHARE, waiting: MAX_WAITING, full });
  readonly #slices: FairSlices;

  constructor(slices = new FairSlices()) {
    this.#slices = slices;
  }

  /** Fails with OVERLOADED if too many callers of this tenant are waiting. */
  during<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    return this.#callers.run(tenantId, work);
  }

  turn(tenantId: string): Promise<void> {
    return this.#slices.turn(tenantId);
  }

  /** Rejects as `work` does. */
  slice<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    return this.#slices.run(tenantId, work);
  }
}

const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });

/** One per process, because it protects the event loop. */
export const timeSlicer = new TimeSlicer(fairSlices);
