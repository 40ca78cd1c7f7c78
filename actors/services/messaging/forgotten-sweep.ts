import type { Messages } from '../../../store/messaging/messages.ts';

export interface ForgottenSweepDeps {
  readonly messages: Pick<Messages, 'giveUpForgotten'>;
}

/**
 * A connected device gives up after a day (device/behaviour/sending.ts), so an older message has no
 * device that will settle it.
 */
const FORGOTTEN_MS = 25 * 3_600_000;
const BATCH_SIZE = 500;

/**
 * Creates a sweep for any node that fails messages left in `sending` by devices that never came
 * back. Each call continues after the previous one. The consequences follow from the rows' pending
 * outbox.
 */
export function createForgottenSweep({ messages }: ForgottenSweepDeps): (now: number) => Promise<void> {
  let after = '';
  return async (now) => {
    after = await messages.giveUpForgotten(now - FORGOTTEN_MS, after, BATCH_SIZE);
  };
}
