import type { Cancel, Clock } from '../../../../runtime/clock.ts';
import type { ExportRow, Exports } from '../../../../store/privacy/exports.ts';

export interface KeepClaimDeps {
  readonly exports: Pick<Exports, 'renew'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

/**
 * Renews the claim of an export, for `lifeMs` each time, as long as this node works on it and nobody else has it. What is given back ends that: it
 * resolves to the row as it is claimed then.
 */
export function keepClaim({ exports, clock }: KeepClaimDeps, row: ExportRow, lifeMs: number): () => Promise<ExportRow> {
  let held = row;
  let cancel: Cancel = () => {};
  let renewing: Promise<void> = Promise.resolve();
  let isOver = false;

  async function renew(): Promise<void> {
    const claimed_until = clock.now() + lifeMs;
    if (await exports.renew(held, claimed_until)) held = { ...held, claimed_until };
    else isOver = true;
  }

  function renewAgain(): void {
    cancel = clock.after(lifeMs / 3, () => {
      // A store that does not answer is asked again while the claim lasts.
      renewing = renew()
        .catch(() => {})
        .finally(() => isOver || renewAgain());
    });
  }

  renewAgain();
  return async () => {
    isOver = true;
    cancel();
    await renewing;
    return held;
  };
}
