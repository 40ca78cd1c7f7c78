import { type Clock, repeatEvery } from '../../../../runtime/clock.ts';
import type { ExportRow, Exports } from '../../../../store/privacy/exports.ts';

interface KeepClaimDeps {
  readonly exports: Pick<Exports, 'renew'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

/**
 * Renews the claim of an export for `lifeMs` at a time, until another node has it; a store that does not answer is asked again. Call the answer to
 * stop: it resolves to the row with its last claim.
 */
export function keepClaim({ exports, clock }: KeepClaimDeps, row: ExportRow, lifeMs: number): () => Promise<ExportRow> {
  let held = row;
  const stop = repeatEvery(clock, lifeMs / 3, async () => {
    const claimed_until = clock.now() + lifeMs;
    const isHeld = await exports.renew(held, claimed_until);
    if (isHeld) held = { ...held, claimed_until };
    return isHeld;
  });
  return async () => {
    await stop();
    return held;
  };
}
