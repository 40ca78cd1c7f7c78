import type { PlatformLimit } from '../../store/messaging/message-row.ts';

export interface RefusedFor {
  readonly backoffMs?: number;
  /** The official limit that the message waits for. The wait does not count as an attempt. */
  readonly limit?: PlatformLimit;
}
