import { FairSlices, fairSlices } from '../../../runtime/fair-slices.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { refusal } from '../../domain/refusals.ts';

/** Maximum number of concurrent queries. Each one takes a few seconds at most. */
const MAX_CALLERS = 50;
const SHARE = 4;
const MAX_WAITING = 16;

/** Runs one slice per event-loop tick, so that many callers block the loop no longer than one would. */
export class TimeSlicer {
  readonly #callers = new FairSlots({ slots: MAX_CALLERS, share: SHARE, waiting: MAX_WAITING, full });
  readonly #slices: FairSlices;

  constructor(slices = new FairSlices()) {
    this.#slices = slices;
  }

  during<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    return this.#callers.run(tenantId, work);
  }

  turn(tenantId: string): Promise<void> {
    return this.#slices.turn(tenantId);
  }

  slice<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    return this.#slices.run(tenantId, work);
  }
}

const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });

/** One instance per process, because it protects the event loop. */
export const timeSlicer = new TimeSlicer(fairSlices);
