import type { Attempted, DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { EndpointPace } from '../../tenant/protocol.ts';

export interface Outcome {
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly body: string | null;
}

const RETRIES_MS = [30_000, 120_000, 600_000, 3_600_000] as const;

type Attempts = Pick<DeliveryRow, 'attempt' | 'asked_after'>;

const pauseAfter = ({ attempt, asked_after = 0 }: Attempts): number | undefined => RETRIES_MS[attempt - asked_after];

export const isLastAttempt = (row: Attempts): boolean => pauseAfter(row) === undefined;

export function resultOf(row: Attempts, { status, error, durationMs }: Outcome, now: number): Attempted {
  const isDelivered = status !== null && status >= 200 && status < 300;
  const pauseMs = pauseAfter(row);
  const isOver = isDelivered || pauseMs === undefined;
  return {
    attempt: row.attempt + 1,
    status: isDelivered ? 'delivered' : isOver ? 'failed' : 'pending',
    response_status: status,
    error: isDelivered ? null : (error ?? `status_${status}`),
    duration_ms: durationMs,
    next_attempt_at: isOver ? null : now + pauseMs,
  };
}

const QUICK_MS = 1_000;
const SLOW_MS = 5_000;
const TOO_MANY = 429;

export function paceOf({ status, durationMs }: Outcome): EndpointPace {
  if (status === null || status === TOO_MANY || status >= 500 || durationMs > SLOW_MS) return 'slow';
  return durationMs <= QUICK_MS ? 'quick' : 'steady';
}
