import type { PlatformLimit } from '../../store/messaging/message-row.ts';

/** For how long, and for which limit, the network refused a message. */
export interface RefusedFor {
  readonly backoffMs?: number;
  /** The limit of the official platform that the message waits for; it uses up no tries. */
  readonly limit?: PlatformLimit;
}
