import type { Logger } from 'pino';
import type { Hands, Self } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Lease } from '../../runtime/cluster/port.ts';
import type { ChorePatch, ChoreRow, Chores } from '../../store/chores.ts';
import type { ClerkEffect, ClerkEvent } from './protocol.ts';

export interface ClerkPorts {
  readonly chores: Chores;
  /** Does the next step of a chore; done again it leads to the same. Gives what changed of the chore. */
  readonly step: (chore: ChoreRow, now: number) => Promise<ChorePatch>;
  /** Is this the store saying "not now"? Then nothing is wrong with the chore. */
  readonly isStoreDown: (cause: unknown) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A step that fails so often in a row will not succeed: its chore fails, and those behind it have their turn. */
const MOST_FAILURES = 5;

/** Carries out the steps of one tenant's chores. */
export class ClerkHands implements Hands<ClerkEffect> {
  readonly #ports: ClerkPorts;
  readonly #tenantId: string;
  readonly #self: Self<ClerkEvent>;
  readonly #lease: Lease;

  constructor(ports: ClerkPorts, tenantId: string, self: Self<ClerkEvent>, lease: Lease) {
    this.#ports = ports;
    this.#tenantId = tenantId;
    this.#self = self;
    this.#lease = lease;
  }

  perform(_step: ClerkEffect): void {
    if (!this.#lease.isSafe()) return this.#self.hear({ type: 'fenced' });
    this.#work().then(
      (type) => this.#self.hear({ type }),
      (cause) => {
        this.#ports.log.error({ err: cause, tenant: this.#tenantId }, 'the store failed a clerk');
        this.#self.hear({ type: 'stepFailed' });
      },
    );
  }

  async #work(): Promise<'stepDone' | 'nothingLeft' | 'stepFailed'> {
    const { chores, clock } = this.#ports;
    const chore = await chores.next(this.#tenantId);
    if (!chore) return 'nothingLeft';
    const { patch, isFailure } = await this.#step(chore);
    await chores.advance(chore, patch, clock.now());
    return isFailure ? 'stepFailed' : 'stepDone';
  }

  async #step(chore: ChoreRow): Promise<{ patch: ChorePatch; isFailure: boolean }> {
    const { step, isStoreDown, clock, log } = this.#ports;
    try {
      return { patch: await step(chore, clock.now()), isFailure: false };
    } catch (cause) {
      if (isStoreDown(cause)) throw cause;
      log.error({ err: cause, tenant: this.#tenantId, chore: chore._id }, 'a step of a chore failed');
      const failures = chore.failures + 1;
      return { patch: { failures, ...(failures >= MOST_FAILURES && { status: 'failed' as const }) }, isFailure: true };
    }
  }
}
