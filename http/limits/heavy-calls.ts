import { refusal } from '../../actors/domain/refusals.ts';
import { type FairSlices, fairSlices } from '../../runtime/fair-slices.ts';
import { FairSlots } from '../../runtime/fair-slots.ts';

/** Concurrent heavy calls per tenant: other tenants wait for at most this many of its calls, however many it sent. */
const SHARE = 2;
const MAX_WAITING = 50;

/**
 * Limits the calls of one tenant that read or write a lot (`heavy` in http/core/row.ts), on one
 * node. Only a few run at once and the tenant's other calls wait, so a call that waits for
 * something else delays only its own tenant. Tenants take turns to start calls.
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

  /** Resolves when it is this tenant's turn; call the returned function once to end the call. Fails with OVERLOADED. */
  async enter(tenantId: string): Promise<() => void> {
    const leave = await this.#calls.enter(tenantId);
    await this.#slices.turn(tenantId);
    return leave;
  }
}
