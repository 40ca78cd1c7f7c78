import { idempotencyIn, type KeyRow } from '../../store/messaging/idempotency.ts';
import type { Store } from '../../store/port.ts';

/** Stands in for a keyed hash. */
export const asWritten = (_group: string, text: string): string => text;

const DAY = 86_400_000;

/** Simulates a call with this key that died a day ago before its response was stored. Returns the id of its result. */
export async function answerLost(store: Store, tenantId: string, key: string): Promise<string> {
  const keys = idempotencyIn(store, asWritten);
  const none: KeyRow = { _id: `${tenantId}:${key}`, fingerprint: '', message_id: '', claimed_at: 0, expires_at: 0 };
  const { answer: _, ...row } = (await keys.claim(none)).row;
  await keys.claim({ ...row, claimed_at: row.expires_at, expires_at: row.expires_at + DAY });
  return row.message_id;
}
