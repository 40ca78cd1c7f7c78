import type { Clock } from '../../../runtime/clock.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import { backoffAfter, type TransientCode } from '../../domain/transient-refusals.ts';
import type { DeviceEffect } from '../protocol.ts';

export interface HoldBackDeps {
  readonly messages: Pick<Messages, 'ours' | 'holdBack' | 'markFailed'>;
  readonly clock: Clock;
  refusedForNow(refused: { readonly id: string; readonly code: TransientCode; readonly tries: number; readonly until: number }): void;
}

/** Returns the time of the next attempt, or null if the message has failed for good. */
export async function holdBack(
  { messages, clock, refusedForNow }: HoldBackDeps,
  owner: Owner,
  { netId, refusal }: Extract<DeviceEffect, { do: 'holdBack' }>,
): Promise<number | null> {
  const row = await messages.ours(owner.sessionId, netId);
  if (!row) return null;
  const { code } = refusal;
  const backoff = backoffAfter(row, refusal, clock.now());
  if (!backoff) {
    await messages.markFailed(owner, netId, `refused_${code}`);
    return null;
  }
  if (!(await messages.holdBack(owner, netId, backoff))) return null;
  const { tries, until } = backoff;
  refusedForNow({ id: row._id, code, tries, until });
  return until;
}
