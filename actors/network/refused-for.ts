import type { PlatformLimit } from '../../store/messaging/message-row.ts';

/** How long to wait after the network refused a message, and which limit caused the refusal. */
export interface RefusedFor {
  readonly backoffMs?: number;
  /** The official platform's limit that the message waits for. Such a wait does not count as an attempt. */
  readonly limit?: PlatformLimit;
}
