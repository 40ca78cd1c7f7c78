import { refusal } from '../../actors/domain/refusals.ts';
import { type FairSlices, fairSlices } from '../../runtime/fair-slices.ts';
import { FairSlots } from '../../runtime/fair-slots.ts';

/** Number of one tenant's calls that may run at the same time on this node. */
const SHARE = 2;
const MAX_WAITING = 50;

/** Runs only a few of each tenant's heavy calls at a time on this node. Tenants take turns. */
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

  /** Call the returned function once, when the call has ended. Fails with OVERLOADED. */
  async enter(tenantId: string): Promise<() => void> {
    const leave = await this.#calls.enter(tenantId);
    await this.#slices.turn(tenantId);
    return leave;
  }
}
