import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import { campaignMove } from '../../../store/campaigns/campaign-status.ts';
import type { Order, StatusChange } from '../protocol.ts';

/**
 * Every change of status sets `due_at`, so that a new owner of the campaign completes any work that
 * remains.
 */

export function changeOf(order: Order, now: number): StatusChange {
  switch (order.type) {
    case 'start':
      return started(order.attestedAt, now);
    case 'pause':
      return paused('requested', now);
    case 'resume':
      return { move: campaignMove('running', 'paused'), patch: { pause_reason: null, due_at: now } };
    case 'cancel':
      return { move: campaignMove('cancelled'), patch: { completed_at: now, resumes_at: null, due_at: now } };
    default:
      return unreachable(order);
  }
}

/** Starts a scheduled draft, unless its start time has changed since it was read. */
export function begun(scheduledAt: number, now: number): StatusChange {
  const { move, patch } = starting(now);
  return { move: { ...move, from: { ...move.from, scheduled_at: scheduledAt } }, patch };
}

const starting = (now: number): StatusChange => ({
  move: campaignMove('running', 'draft'),
  patch: { started_at: now, due_at: now, error: null },
});

export const paused = (reason: string, now: number): StatusChange => ({
  move: campaignMove('paused'),
  patch: { pause_reason: reason, resumes_at: null, due_at: now },
});

export const completed = (now: number): StatusChange => ({
  move: campaignMove('completed'),
  patch: { completed_at: now, resumes_at: null, due_at: now },
});

export const failed = (error: string, now: number): StatusChange => ({
  move: campaignMove('failed'),
  patch: { error, completed_at: now, resumes_at: null, due_at: now },
});

function started(attestedAt: number | null, now: number): StatusChange {
  const { move, patch } = starting(now);
  return { move, patch: { ...patch, ...(attestedAt !== null && { consent_attested_at: attestedAt }) } };
}
