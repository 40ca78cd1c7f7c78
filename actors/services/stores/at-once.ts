import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { Outcome, StoreLinkCommand, UnstoredHook } from '../../store-link/protocol.ts';

/** A webhook as it was received. */
export type ReceivedHook = Pick<UnstoredHook, 'topic' | 'body' | 'shopDomain' | 'arrivedAt'>;

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
