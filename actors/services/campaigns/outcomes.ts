import type { Outcome, RecipientStatus } from '../../../store/campaigns/recipients.ts';
import type { MessageRow, StoredStatus } from '../../../store/messaging/messages.ts';

const BECAME: Readonly<Record<StoredStatus, RecipientStatus>> = {
  queued: 'queued',
  sending: 'queued',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  cancelled: 'skipped',
  deleted: 'sent',
};

/** A message deleted before it was sent counts as cancelled, or as failed if it has an error. */
export function outcomeOf({ _id, session_id, status, error, sent_at, delivered_at, read_at }: MessageRow): Outcome {
  const times = { sent_at: sent_at ?? delivered_at ?? read_at, delivered_at, read_at };
  const became = status === 'deleted' && times.sent_at === null ? (error === null ? 'cancelled' : 'failed') : status;
  if (error === 'opted_out') return { _id, session_id, status: 'skipped', error, ...times };
  return { _id, session_id, status: BECAME[became], error: became === 'cancelled' ? 'cancelled' : error, ...times };
}

export const isOut = ({ status }: Outcome): boolean => status !== 'queued';
