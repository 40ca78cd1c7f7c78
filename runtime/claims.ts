import { type Clock, repeatEvery } from './clock.ts';

/** How long a stored claim outlives its process. Workers renew their claims. */
export const CLAIM_MS = 8_000;

interface Claimed {
  readonly claimed_until: number;
}

interface KeepClaimDeps<Row extends Claimed> {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  renew(row: Row, claimedUntil: number): Promise<boolean>;
}

/**
 * Renews a claim until another node takes it over. The returned function stops renewing and
 * resolves to the latest row.
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

/** Calls `renew` with each new expiry time until it resolves to false. Returns a stop function. */
export function renewClaim(clock: Pick<Clock, 'now' | 'after'>, renew: (until: number) => Promise<boolean>): () => Promise<void> {
  return repeatEvery(clock, CLAIM_MS / 4, () => renew(clock.now() + CLAIM_MS));
}

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
