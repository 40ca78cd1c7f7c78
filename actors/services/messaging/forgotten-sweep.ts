import type { Messages } from '../../../store/messaging/messages.ts';

export interface ForgottenSweepDeps {
  readonly messages: Pick<Messages, 'giveUpForgotten'>;
}

/** A device that is connected gives up after a day (device/behaviour/sending.ts): whatever is older has none that will. */
const FORGOTTEN_MS = 25 * 3_600_000;
const BATCH_SIZE = 500;

/**
 * Gives a pass that fails messages on the wire whose device never came back to learn what became of them, for a sweep on any node. The next one goes on
 * with those behind them. Their device tells what follows, as of all whose outbox is pending.
 */
export function createForgottenSweep({ messages }: ForgottenSweepDeps): (now: number) => Promise<void> {
  let after = '';
  return async (now) => {
    after = await messages.giveUpForgotten(now - FORGOTTEN_MS, after, BATCH_SIZE);
  };
}
