import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { CampaignEffect, Snapshot, StatusChange, Trend } from '../protocol.ts';
import { begun, completed, failed, paused } from './status-changes.ts';

/**
 * Decides the next step of a campaign from a snapshot of the store. Pure. The campaign actor
 * carries out the steps one at a time.
 */

/** Minimum number of queued messages. Kept small, so that a pause or a STOP still prevents most sends. */
export const LEAST_DEPTH = 20;
const MAX_DEPTH = 1_000;
/** Number of recent outcomes to examine. If half of them failed, continuing risks a ban. */
const JUDGED = 50;
const FEWEST_JUDGED = 20;

export const NO_TREND: Trend = { sent: 0, failed: 0, steps: [] };

export function decide(snapshot: Snapshot, depth: number, trend: Trend, now: number): CampaignEffect | null {
  const { row } = snapshot;
  switch (row.status) {
    case 'draft':
      return row.scheduled_at !== null && row.scheduled_at <= now ? begin(snapshot, row.scheduled_at, now) : null;
    case 'running':
      return whileRunning(snapshot, depth, trend, now);
    default:
      return row.due_at === null ? null : { do: 'conclude', row };
  }
}

/** Starts a scheduled draft. Without the consent attestation, removes its start time instead. */
function begin({ row, lacksAttestation, lacksRoom, isSuspended }: Snapshot, scheduledAt: number, now: number): CampaignEffect | null {
  if (isSuspended) return null;
  if (lacksAttestation)
    return { do: 'save', status: 'draft', patch: { scheduled_at: null, due_at: null, error: 'consent_attestation_required' } };
  if (!lacksRoom) return change(begun(scheduledAt, now));
  return row.error === 'limit_reached' ? null : { do: 'save', status: 'draft', patch: { error: 'limit_reached' } };
}

export const withoutAudience = ({ gathering }: CampaignRow, now: number): CampaignEffect =>
  gathering === '' ? change(failed('no_audience', now)) : { do: 'save', status: 'running', patch: { gathering: null } };

const change = (to: StatusChange): CampaignEffect => ({ do: 'changeStatus', change: to, isFinal: false });

function whileRunning(snapshot: Snapshot, depth: number, trend: Trend, now: number): CampaignEffect | null {
  const { row, window, ahead, hasPending, blocker } = snapshot;
  if (row.gathering !== null) return { do: 'gather', row };
  if (!hasPending && ahead === 0) return { do: 'changeStatus', change: completed(now), isFinal: true };
  if (blocker === 'no_session') return change(failed(blocker, now));
  if (window.isOverrun) return { do: 'takeBack', row };
  if (snapshot.isSuspended) return null;
  if (isShut(snapshot)) return row.resumes_at === window.opensAt ? null : { do: 'wait', until: window.opensAt ?? now };
  if (blocker !== null) return change(paused(blocker, now));
  if (snapshot.isStranded) return { do: 'takeBack', row };
  if (isAlarming(trend)) return change(paused('failure_rate', now));
  if (!hasPending) return snapshot.stuck === null ? null : change(paused(snapshot.stuck, now));
  if (!snapshot.isReady || ahead > depth / 2) return null;
  return { do: 'release', row, limit: depth - ahead, zones: window.open };
}

export const isShut = ({ window: { open, opensAt } }: Snapshot): boolean => open !== null && open.length === 0 && opensAt !== null;

const isAlarming = ({ sent, failed }: Trend): boolean => sent + failed >= FEWEST_JUDGED && failed >= sent;

export function follow(trend: Trend, sent: number, failed: number): Trend {
  if (sent + failed === 0) return trend;
  const steps = [...trend.steps, { sent, failed }];
  let total = { sent: trend.sent + sent, failed: trend.failed + failed };
  for (let [oldest] = steps; oldest && steps.length > 1; [oldest] = steps) {
    const rest = { sent: total.sent - oldest.sent, failed: total.failed - oldest.failed };
    if (rest.sent + rest.failed < JUDGED) break;
    steps.shift();
    total = rest;
  }
  return { ...total, steps };
}

export function deepened(depth: number, { ahead, hasPending, isReady, window, isSuspended }: Snapshot): number {
  if (!hasPending || !isReady || window.opensAt !== null || isSuspended) return depth;
  return ahead === 0 ? Math.min(MAX_DEPTH, depth * 2) : depth;
}
