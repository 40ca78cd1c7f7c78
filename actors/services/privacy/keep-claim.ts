import { type Clock, repeatEvery } from '../../../runtime/clock.ts';

/**
 * How long a claim on a piece of privacy work outlives its process. Whoever works renews it, so that it can be short: what a killed process left
 * is taken up within seconds.
 */
export const CLAIM_MS = 8_000;

interface Claimed {
  readonly claimed_until: number;
}

interface KeepClaimDeps<Row extends Claimed> {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** False: somebody else has it by now. */
  renew(row: Row, claimedUntil: number): Promise<boolean>;
}

/**
 * Renews a claim for `CLAIM_MS` at a time, until another node has it; a store that does not answer is asked again. Call the answer to
 * stop: it resolves to the row with its last claim.
 */
export function keepClaim<Row extends Claimed>({ renew, clock }: KeepClaimDeps<Row>, row: Row): () => Promise<Row> {
  let held = row;
  const stop = repeatEvery(clock, CLAIM_MS / 4, async () => {
    const claimed_until = clock.now() + CLAIM_MS;
    const isHeld = await renew(held, claimed_until);
    if (isHeld) held = { ...held, claimed_until };
    return isHeld;
  });
  return async () => {
    await stop();
    return held;
  };
}
