import { refusal } from '../../actors/domain/refusals.ts';
import { type FairSlices, fairSlices } from '../../runtime/fair-slices.ts';
import { FairSlots } from '../../runtime/fair-slots.ts';

/** Worked on at once of one tenant: what others wait for is what few calls do in a turn of the event loop, however many were sent. */
const SHARE = 2;
const MAX_WAITING = 50;

/**
 * The share of a tenant in calls that read or write a lot (`heavy` in http/core/row.ts), of one node: few are worked on at once and the others of the
 * tenant wait, so that one that waits for something else keeps nobody but its own tenant waiting. Those of several tenants begin in turn.
 */
export class HeavyCalls {
  readonly #calls = new FairSlots({
    slots: Number.POSITIVE_INFINITY,
    share: SHARE,
    waiting: MAX_WAITING,
    full: () => refusal('OVERLOADED', { retryAfterMs: 5_000 }),
  });
  readonly #slices: FairSlices;

  constructor(slices = fairSlices) {
    this.#slices = slices;
  }

  /** Resolves in a turn of this tenant; the answer ends the call, once. Refuses OVERLOADED when too many of the tenant's wait. */
  async enter(tenantId: string): Promise<() => void> {
    const leave = await this.#calls.enter(tenantId);
    await this.#slices.turn(tenantId);
    return leave;
  }
}
