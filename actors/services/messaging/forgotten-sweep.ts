import type { Messages } from '../../../store/messaging/messages.ts';

export interface ForgottenSweepDeps {
  readonly messages: Pick<Messages, 'giveUpForgotten'>;
}

/** A connected device gives up after a day, so no device will settle an older message. */
const FORGOTTEN_MS = 25 * 3_600_000;
const BATCH_SIZE = 500;

/** Fails messages left in `sending` by devices that never reconnected. Each call continues where the previous one stopped. */
export function createForgottenSweep({ messages }: ForgottenSweepDeps): (now: number) => Promise<void> {
  let after = '';
  return async (now) => {
    after = await messages.giveUpForgotten(now - FORGOTTEN_MS, after, BATCH_SIZE);
  };
}
