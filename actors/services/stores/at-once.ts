import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { Outcome, StoreLinkCommand, UnstoredHook } from '../../store-link/protocol.ts';

/** A webhook as received. */
export type ReceivedHook = Pick<UnstoredHook, 'topic' | 'body' | 'mark' | 'shopDomain' | 'arrivedAt'>;

/**
 * Counts the webhooks of each store link that this node is receiving. A webhook that arrives during
 * another is not handled at once, because the earlier one may have been declined and not be stored
 * yet.
 */
export class HooksInHand {
  readonly #counts = new Map<string, number>();

  /**
   * Runs `work` while counting it. `isAlone`: no other webhook of this link was being received
   * before.
   */
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

/**
 * A webhook not accepted within this time is stored by its receiver, which still has time to
 * respond.
 */
const TAKEN_WITHIN_MS = 400;

/**
 * Offers the webhook to the store link's actor, which can store it together with its outcome if it
 * is idle. Returns the outcome; null when the webhook is not stored.
 */
export async function handledAtOnce(link: ActorRef<StoreLinkCommand>, received: ReceivedHook): Promise<Outcome | null> {
  const { promise: settled, resolve: settle } = Promise.withResolvers<Outcome | null>();
  const hands = { isTaken: false, isWithdrawn: false };
  const take = (): boolean => {
    hands.isTaken = !hands.isWithdrawn;
    return hands.isTaken;
  };
  const told = await link.ask({ type: 'hookCame', hook: { ...received, take, settle } }, TAKEN_WITHIN_MS).catch(() => null);
  // Wait if the actor is already storing the webhook; storing it here would duplicate it.
  if (told !== null || hands.isTaken) return told ?? settled;
  hands.isWithdrawn = true;
  return null;
}
