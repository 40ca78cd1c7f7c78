import { type Clock, repeatEvery } from './clock.ts';

/**
 * How long a claim in a stored record outlives its process. Whoever works renews it, so that it can be short however long the work takes: what a
 * killed process left is free within ten seconds (`test/actors/services/claims.test.ts` lists all claims).
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
  const stop = renewClaim(clock, async (claimed_until) => {
    const isHeld = await renew(held, claimed_until);
    if (isHeld) held = { ...held, claimed_until };
    return isHeld;
  });
  return async () => {
    await stop();
    return held;
  };
}

/** Calls `renew` with the next end of a claim (epoch ms) until it resolves to false. Call the answer to stop; then nothing is under way. */
export function renewClaim(clock: Pick<Clock, 'now' | 'after'>, renew: (until: number) => Promise<boolean>): () => Promise<void> {
  return repeatEvery(clock, CLAIM_MS / 4, () => renew(clock.now() + CLAIM_MS));
}

/** Runs `work` while its claim is renewed. */
export async function whileClaimed<T>(
  clock: Pick<Clock, 'now' | 'after'>,
  renew: (until: number) => Promise<boolean>,
  work: () => Promise<T>,
): Promise<T> {
  const stop = renewClaim(clock, renew);
  try {
    return await work();
  } finally {
    await stop();
  }
}
