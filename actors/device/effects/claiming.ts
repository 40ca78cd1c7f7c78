import type { Clock } from '../../../runtime/clock.ts';
import { isPublic } from '../../network/channels.ts';
import type { DeviceEffect, DeviceEvent } from '../protocol.ts';
import type { Selection, SendScheduler } from './send-scheduler.ts';
import type { Unheard } from './unheard.ts';

/** A claim does not block other writes to message rows while it waits for a possible STOP. */
export interface ClaimDeps {
  readonly scheduler: SendScheduler;
  readonly unheard: Pick<Unheard, 'heard'>;
  readonly clock: Pick<Clock, 'now'>;
  inOrder<T>(work: () => Promise<T>): Promise<T>;
  /** Whether the connection has closed. The claim then stops, and the next connection makes another one. */
  isOver(): boolean;
  pauseMs(): number;
}

type ClaimEffect = Extract<DeviceEffect, { do: 'claim' }>;
type Taken = Pick<Selection, 'rows' | 'unheard'> & Partial<Selection>;

export async function claimInTurn(deps: ClaimDeps, effect: ClaimEffect): Promise<DeviceEvent | null> {
  for (;;) {
    const { event, unheard } = await deps.inOrder(() => claimed(deps, effect));
    if (unheard.length === 0) return event;
    await deps.unheard.heard(unheard);
    if (deps.isOver()) return null;
  }
}

/** If nothing was claimed, `unheard` lists the chats in which a received message may be a STOP. */
async function claimed(
  deps: ClaimDeps,
  effect: ClaimEffect,
): Promise<{ readonly event: DeviceEvent; readonly unheard: readonly string[] }> {
  const next = await claimNext(deps.scheduler, effect, deps.clock.now());
  if ('chosen' in next) return { event: { type: 'chosen', connectionId: effect.connectionId, row: next.chosen }, unheard: [] };
  const { unheard = [], ...taken } = next;
  const event = { type: 'claimed', connectionId: effect.connectionId, ...taken, pauseMs: deps.pauseMs() } as const;
  return { event, unheard: taken.rows.length > 0 ? [] : unheard };
}

async function claimNext(
  scheduler: SendScheduler,
  { limit, turn, row, isAhead, pacing }: ClaimEffect,
  now: number,
): Promise<Taken | { readonly chosen: Selection['rows'][number] }> {
  const own = row ? await scheduler.claim([row], turn.day, now) : null;
  if (own && (own.rows.length > 0 || own.unheard.length > 0 || !isAhead)) return { ...own, ...(isAhead && { areAll: true }) };
  if (!pacing.typing) return scheduler.take({ ...turn, limit }, now);
  const { rows, isSpent, isUnfinished } = await scheduler.choose({ ...turn, limit: 1 }, now);
  const [next] = rows;
  if (next?.message_type === 'text' && !isPublic(next.chat_id)) return { chosen: next };
  const taken = await scheduler.claim(rows, turn.day, now);
  return { ...taken, isSpent, isUnfinished: isUnfinished || taken.rows.length < rows.length };
}
