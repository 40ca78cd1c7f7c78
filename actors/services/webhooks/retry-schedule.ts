import type { Attempted, DeliveryRow } from '../../../store/webhooks/deliveries.ts';
import type { EndpointPace } from '../../tenant/protocol.ts';

/** How one request ended. */
export interface Outcome {
  /** null: no answer. */
  readonly status: number | null;
  /** A code such as `timeout`; null: answered. */
  readonly error: string | null;
  readonly durationMs: number;
  /** How the answer begins; null: there was none. */
  readonly body: string | null;
}

/** The pauses before the retries. */
const RETRIES_MS = [30_000, 120_000, 600_000, 3_600_000] as const;

type Attempts = Pick<DeliveryRow, 'attempt' | 'asked_after'>;

/** How long after the attempt that is due another one follows, should it fail; undefined: it is the last. */
const pauseAfter = ({ attempt, asked_after = 0 }: Attempts): number | undefined => RETRIES_MS[attempt - asked_after];

export const isLastAttempt = (row: Attempts): boolean => pauseAfter(row) === undefined;

/** The next state of a delivery after an attempt that ended at `now`: any 2xx is success, everything else is retried while the schedule lasts. */
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
/** Too many requests. */
const TOO_MANY = 429;

/** How the endpoint keeps up: no answer, an overload or a very late answer is `slow`. */
export function paceOf({ status, durationMs }: Outcome): EndpointPace {
  if (status === null || status === TOO_MANY || status >= 500 || durationMs > SLOW_MS) return 'slow';
  return durationMs <= QUICK_MS ? 'quick' : 'steady';
}
