import type { PlatformLimit } from '../../../store/messaging/message-row.ts';
import type { NumberTrouble } from '../../domain/official-troubles.ts';

/**
 * Maps the platform's error numbers to their effects. The strings are values of a message's `error`
 * and a session's `reason`. A `trouble` pauses all campaigns of the number
 * (domain/official-troubles.ts).
 */

export type Verdict =
  | { readonly does: 'fail'; readonly error: string; readonly trouble?: NumberTrouble }
  /** With `limit`, the message waits until this limit allows it, however long that takes. */
  | { readonly does: 'wait'; readonly waitMs: number; readonly limit?: PlatformLimit; readonly trouble?: NumberTrouble }
  /** Closes the connection with this reason. The message stays in the queue. */
  | { readonly does: 'stop'; readonly reason: string };

const fail = (error: string): Verdict => ({ does: 'fail', error });
const wait = (waitMs: number): Verdict => ({ does: 'wait', waitMs });
const stop = (reason: string): Verdict => ({ does: 'stop', reason });

/** The person has opted out of marketing messages in the network's app. */
export const STOPPED_MARKETING = 131_050;
export const WINDOW_CLOSED = 131_047;

export const TEMPLATE_OUTDATED: ReadonlySet<number> = new Set([132_000, 132_001, 132_012]);

const VERDICTS: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  ...[0, 190].map((code): [number, Verdict] => [code, stop('token_invalid')]),
  ...[3, 10, 131_005].map((code): [number, Verdict] => [code, stop('permission_missing')]),
  ...[368, 131_031].map((code): [number, Verdict] => [code, stop('account_restricted')]),
  ...[131_037, 131_045, 133_010, 133_006].map((code): [number, Verdict] => [code, stop('not_registered')]),
  ...[4, 80_007].map((code): [number, Verdict] => [code, wait(120_000)]),
  [130_429, wait(1_000)],
  [131_056, { does: 'wait', waitMs: 1_000, limit: 'pair_limit' }],
  [131_048, { does: 'wait', waitMs: 3_600_000, limit: 'spam_limit', trouble: 'spam_limit' }],
  ...[131_057, 2_494_100].map((code): [number, Verdict] => [code, wait(60_000)]),
  ...[1, 2, 131_000, 131_016, 133_004].map((code): [number, Verdict] => [code, wait(1_000)]),
  [130_497, fail('country_not_allowed')],
  [WINDOW_CLOSED, fail('window_closed')],
  [131_026, fail('not_reachable')],
  [131_049, fail('marketing_capped')],
  [STOPPED_MARKETING, fail('opted_out')],
  [130_472, fail('experiment')],
  [131_042, { does: 'fail', error: 'payment_missing', trouble: 'payment_missing' }],
  ...[131_052, 131_053].map((code): [number, Verdict] => [code, fail('media_refused')]),
  [131_030, fail('recipient_not_listed')],
  [131_062, fail('needs_phone')],
  ...[132_000, 132_012].map((code): [number, Verdict] => [code, fail('template_parameters')]),
  [132_001, fail('template_missing')],
  ...[132_005, 132_007].map((code): [number, Verdict] => [code, fail('template_refused')]),
  ...[132_015, 132_016].map((code): [number, Verdict] => [code, fail('template_paused')]),
  ...[132_068, 132_069].map((code): [number, Verdict] => [code, fail('flow_blocked')]),
]);

export function verdictOf(code: number): Verdict {
  const known = VERDICTS.get(code);
  if (known) return known;
  return code >= 200 && code <= 299 ? stop('permission_missing') : fail(`refused_${code}`);
}

export const pairPauseMs = (refusals: number): number => 4 ** Math.min(refusals - 1, 3) * 1_000;
