import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { Outcome, StoreLinkCommand, UnstoredHook } from '../../store-link/protocol.ts';

/** A webhook as it was received. */
export type ReceivedHook = Pick<UnstoredHook, 'topic' | 'body' | 'mark' | 'shopDomain' | 'arrivedAt'>;

/**
 * How many webhooks of each store link are in the hands of their receivers here. One that comes meanwhile is not handled at once: an earlier one may
 * have been turned away and not be stored yet.
 */
export class HooksInHand {
  readonly #counts = new Map<string, number>();

  /** `isAlone`: no other webhook of this link was there before. */
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

/** One that is not taken within this is stored by its receiver, and the rest of its answer's time is left. */
const TAKEN_WITHIN_MS = 400;

/** Lets a store link that has nothing else to do store a webhook with what becomes of it. Gives the outcome; null: it is not stored. */
export async function handledAtOnce(link: ActorRef<StoreLinkCommand>, received: ReceivedHook): Promise<Outcome | null> {
  const { promise: settled, resolve: settle } = Promise.withResolvers<Outcome | null>();
  const hands = { isTaken: false, isWithdrawn: false };
  const take = (): boolean => {
    hands.isTaken = !hands.isWithdrawn;
    return hands.isTaken;
  };
  const told = await link.ask({ type: 'hookCame', hook: { ...received, take, settle } }, TAKEN_WITHIN_MS).catch(() => null);
  // What is being stored is waited for: who stores it a second time would have it twice.
  if (told !== null || hands.isTaken) return told ?? settled;
  hands.isWithdrawn = true;
  return null;
}
