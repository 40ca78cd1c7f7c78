import type { Messages } from '../../../store/messaging/messages.ts';

export interface ForgottenSweepDeps {
  readonly messages: Pick<Messages, 'giveUpForgotten'>;
}

/** A device that is connected gives up after a day (device/behaviour/sending.ts): whatever is older has none that will. */
const FORGOTTEN_MS = 25 * 3_600_000;
const BATCH_SIZE = 500;

/**
 * Gives a step of a sweep, for any node: it fails messages that were left on the wire by devices which did not come back. Each goes on behind the one
 * before. What follows from them is done as of all rows whose outbox is pending.
 */
export function createForgottenSweep({ messages }: ForgottenSweepDeps): (now: number) => Promise<void> {
  let after = '';
  return async (now) => {
    after = await messages.giveUpForgotten(now - FORGOTTEN_MS, after, BATCH_SIZE);
  };
}
