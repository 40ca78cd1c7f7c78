import type { Messages } from '../../../store/messaging/messages.ts';

export interface ForgottenSweepDeps {
  readonly messages: Pick<Messages, 'giveUpForgotten'>;
}

/** A connected device abandons a message after a day, so no device will settle an older one. */
const FORGOTTEN_MS = 25 * 3_600_000;
const BATCH_SIZE = 500;

export function createForgottenSweep({ messages }: ForgottenSweepDeps): (now: number) => Promise<void> {
  let after = '';
  return async (now) => {
    after = await messages.giveUpForgotten(now - FORGOTTEN_MS, after, BATCH_SIZE);
  };
}
