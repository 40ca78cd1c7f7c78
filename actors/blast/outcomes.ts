import type { Outcome, RecipientStatus } from '../../store/blast-recipients.ts';
import type { MessageRow, StoredStatus } from '../../store/messages.ts';

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

/** What the message of a campaign says of its recipient (api.md "Blasts"). */
export function outcomeOf({ _id, status, error, sent_at, delivered_at, read_at }: MessageRow): Outcome {
  const times = { sent_at: sent_at ?? delivered_at ?? read_at, delivered_at, read_at };
  if (error === 'opted_out') return { _id, status: 'skipped', error, ...times };
  return { _id, status: BECAME[status], error: status === 'cancelled' ? 'cancelled' : error, ...times };
}

/** Has it left the lane, one way or the other? */
export const isOut = ({ status }: Outcome): boolean => status !== 'queued';
