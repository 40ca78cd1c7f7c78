import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { Outcome, StoreLinkCommand, UnstoredHook } from '../../store-link/protocol.ts';

export type ReceivedHook = Pick<UnstoredHook, 'topic' | 'body' | 'mark' | 'shopDomain' | 'arrivedAt'>;

/**
 * Counts webhooks in progress for each link. A webhook is handled immediately only if no other is
 * in progress, because an earlier one may have been declined for this and not be stored yet.
 */
export class HooksInHand {
  readonly #counts = new Map<string, number>();

  async hold<T>(linkId: string, work: (isAlone: boolean) => Promise<T>): Promise<T> {
    const before = this.#counts.get(linkId) ?? 0;
    this.#counts.set(linkId, before + 1);
    try {
      return await work(before === 0);
    } finally {
      const left = (this.#counts.get(linkId) ?? 1) - 1;
      if (left > 0) this.#counts.set(linkId, left);
      else this.#counts.delete(linkId);
    }
  }
}

/** After this time, the receiver itself stores a webhook that was not taken, to respond in time. */
const TAKEN_WITHIN_MS = 400;

export async function handledAtOnce(link: ActorRef<StoreLinkCommand>, received: ReceivedHook): Promise<Outcome | null> {
  const { promise: settled, resolve: settle } = Promise.withResolvers<Outcome | null>();
  const hands = { isTaken: false, isWithdrawn: false };
  const take = (): boolean => {
    hands.isTaken = !hands.isWithdrawn;
    return hands.isTaken;
  };
  const told = await link.ask({ type: 'hookCame', hook: { ...received, take, settle } }, TAKEN_WITHIN_MS).catch(() => null);
  // Wait for a webhook that was taken, because storing it here, too, would duplicate it.
  if (told !== null || hands.isTaken) return told ?? settled;
  hands.isWithdrawn = true;
  return null;
}
