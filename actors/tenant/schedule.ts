import type { Attempted, DeliveryRow } from '../../store/deliveries.ts';

/** How one request ended. */
export interface Outcome {
  /** null: no answer. */
  readonly status: number | null;
  /** A code such as `timeout`; null: answered. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** The pauses before the retries (spec.md part 6). */
const RETRIES_MS = [30_000, 120_000, 600_000, 3_600_000] as const;

/** What an attempt that ended at `now` makes of its delivery: any 2xx is success, everything else is retried while the schedule lasts. */
export function resultOf({ attempt }: Pick<DeliveryRow, 'attempt'>, { status, error, durationMs }: Outcome, now: number): Attempted {
  const isDelivered = status !== null && status >= 200 && status < 300;
  const pauseMs = RETRIES_MS[attempt];
  const isOver = isDelivered || pauseMs === undefined;
  return {
    attempt: attempt + 1,
    status: isDelivered ? 'delivered' : isOver ? 'failed' : 'pending',
    response_status: status,
    error: isDelivered ? null : (error ?? `status_${status}`),
    duration_ms: durationMs,
    next_attempt_at: isOver ? null : now + pauseMs,
  };
}
