import { isPublic } from '../../network/channels.ts';
import type { DeviceEffect, DeviceEvent } from '../protocol.ts';
import type { Selection, SendScheduler } from './send-scheduler.ts';

/** Carries out a claim: what leaves next, or, where it is to look written, what is written next. */
export async function claimNext(
  scheduler: SendScheduler,
  { connectionId, limit, turn, row, isAhead, pacing }: Extract<DeviceEffect, { do: 'claim' }>,
  pauseMs: () => number,
  now: number,
): Promise<DeviceEvent> {
  const claimed = (taken: Pick<Selection, 'rows'> & Partial<Selection>): DeviceEvent => ({
    type: 'claimed',
    connectionId,
    ...taken,
    pauseMs: pauseMs(),
  });
  const rows = row ? await scheduler.claim([row], turn.day, now) : [];
  if (rows.length > 0) return claimed({ rows, ...(isAhead && { areAll: true }) });
  if (row && !isAhead) return claimed({ rows });
  if (!pacing.typing) return claimed(await scheduler.take({ ...turn, limit }, now));
  const { rows: chosen, ...rest } = await scheduler.choose({ ...turn, limit: 1 }, now);
  const [next] = chosen;
  if (next?.message_type === 'text' && !isPublic(next.chat_id)) return { type: 'chosen', connectionId, row: next };
  const taken = await scheduler.claim(chosen, turn.day, now);
  // Cancelled meanwhile: others may wait behind it.
  const isUnfinished = rest.isUnfinished || taken.length < chosen.length;
  return claimed({ rows: taken, isSpent: rest.isSpent, isUnfinished });
}
