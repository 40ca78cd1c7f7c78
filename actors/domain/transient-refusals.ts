import type { Backoff, MessageRow, PlatformLimit } from '../../store/messaging/message-row.ts';

/**
 * After a refusal that is only temporary, the message stays in the queue. It is retried under the
 * same network id with doubling delays, until attempts or time run out. The number of attempts is
 * stored with the message.
 */

/** 408: timeout; 421: stale group addresses; 429: too many requests; 500 and 503: failure. */
export const TRANSIENT_CODES = [408, 421, 429, 500, 503] as const;
export type TransientCode = (typeof TRANSIENT_CODES)[number];

export const TOO_MANY: TransientCode = 429;
const STALE_GROUP: TransientCode = 421;

export interface TransientRefusal {
  readonly code: TransientCode;
  readonly backoffMs: number;
  /** The official platform's limit that the message waits for. This wait is not an attempt. */
  readonly limit?: PlatformLimit;
}

const MAX_TRIES = 6;
export const MAX_BACKOFF_MS = 30 * 60_000;
const FIRST_PAUSE_MS = 5_000;
const LEAST_LIMIT_PAUSE_MS = 1_000;

export function transientCodeOf(reason: string): TransientCode | null {
  return TRANSIENT_CODES.find((code) => reason === `refused_${code}`) ?? null;
}

export const pauseAfterRefusals = (refusals: number, backoffMs: number): number =>
  Math.max(FIRST_PAUSE_MS * 2 ** (refusals - 1), backoffMs);

/** Returns when to try again, or null if the message has failed for good. A 421 is retried only once. */
export function backoffAfter(
  { backoff, expires_at, chat_id }: Pick<MessageRow, 'backoff' | 'expires_at' | 'chat_id'>,
  { code, backoffMs, limit }: TransientRefusal,
  now: number,
): Backoff | null {
  if (limit !== undefined) {
    const until = now + Math.max(backoffMs, LEAST_LIMIT_PAUSE_MS);
    return { codes: backoff?.codes ?? [], tries: 0, since: until, until, limit };
  }
  if (code === STALE_GROUP && (backoff?.codes.includes(code) || !chat_id.endsWith('@g.us'))) return null;
  const tries = (backoff?.tries ?? 0) + 1;
  const since = Math.min(backoff?.since ?? now, now);
  const until = now + (code === STALE_GROUP ? 0 : pauseAfterRefusals(tries, backoffMs));
  const isTooLate = until > since + MAX_BACKOFF_MS || (expires_at !== undefined && until >= expires_at);
  if (tries >= MAX_TRIES || isTooLate) return null;
  return { codes: [...new Set([...(backoff?.codes ?? []), code])], tries, since, until };
}
