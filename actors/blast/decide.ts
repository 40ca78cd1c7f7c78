import type { Action, Survey, Trend } from './protocol.ts';

/** Messages that a campaign keeps in the lanes of its devices: few, so that a pause or a STOP finds most of them still here. */
export const LEAST_DEPTH = 20;
const MOST_DEPTH = 1_000;
/** Of the last so many that came out, at least half failed: numbers or device are bad, and going on gets the device banned. */
const JUDGED = 50;
const FEWEST_JUDGED = 20;

export const NO_TREND: Trend = { sent: 0, failed: 0, steps: [] };

/** What to do next; null: nothing but to wait for what is under way. Pure: `now` is epoch ms. */
export function decide(survey: Survey, depth: number, trend: Trend, now: number): Action | null {
  const { row } = survey;
  switch (row.status) {
    case 'draft':
      return row.scheduled_at !== null && row.scheduled_at <= now ? { act: 'begin' } : null;
    case 'running':
      return whileRunning(survey, depth, trend, now);
    default:
      return row.due_at === null ? null : { act: 'conclude' };
  }
}

function whileRunning(survey: Survey, depth: number, trend: Trend, now: number): Action | null {
  const { row, window, ahead, hasPending, trouble } = survey;
  if (row.gathering !== null) return { act: 'gather' };
  if (!hasPending && ahead === 0) return { act: 'complete' };
  if (trouble === 'no_session') return { act: 'fail', error: trouble };
  if (window.isOverrun) return { act: 'clear' };
  if (isShut(survey)) return row.resumes_at === window.opensAt ? null : { act: 'wait', until: window.opensAt ?? now };
  if (trouble !== null) return { act: 'pause', reason: trouble };
  if (survey.isStranded) return { act: 'clear' };
  if (isAlarming(trend)) return { act: 'pause', reason: 'failure_rate' };
  if (!hasPending) return survey.stuck === null ? null : { act: 'pause', reason: survey.stuck };
  if (!survey.isReady || ahead > depth / 2) return null;
  return { act: 'release', limit: depth - ahead, zones: window.open };
}

/** Nobody who is left may be written to now. */
export const isShut = ({ window: { open, opensAt } }: Survey): boolean => open !== null && open.length === 0 && opensAt !== null;

const isAlarming = ({ sent, failed }: Trend): boolean => sent + failed >= FEWEST_JUDGED && failed >= sent;

/** Adds what came out since the last look. */
export function follow(trend: Trend, sent: number, failed: number): Trend {
  if (sent + failed === 0) return trend;
  const steps = [...trend.steps, { sent, failed }];
  let total = { sent: trend.sent + sent, failed: trend.failed + failed };
  while (steps.length > 1 && total.sent + total.failed - steps[0]!.sent - steps[0]!.failed >= JUDGED) {
    const oldest = steps.shift()!;
    total = { sent: total.sent - oldest.sent, failed: total.failed - oldest.failed };
  }
  return { ...total, steps };
}

/** Lanes that ran dry are filled deeper next time; lanes that stay full need less. */
export function deepened(depth: number, { ahead, hasPending, isReady, window }: Survey): number {
  if (!hasPending || !isReady || window.opensAt !== null) return depth;
  return ahead === 0 ? Math.min(MOST_DEPTH, depth * 2) : depth;
}
