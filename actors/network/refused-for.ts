import type { PlatformLimit } from '../../store/messaging/message-row.ts';

export interface RefusedFor {
  readonly backoffMs?: number;
  /** The message waits for this official limit; the wait is not counted as an attempt. */
  readonly limit?: PlatformLimit;
}
