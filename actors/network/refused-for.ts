import type { PlatformLimit } from '../../store/messaging/message-row.ts';

export interface RefusedFor {
  readonly backoffMs?: number;
  /** The official platform's limit that the message waits for. This wait does not count as an attempt. */
  readonly limit?: PlatformLimit;
}
