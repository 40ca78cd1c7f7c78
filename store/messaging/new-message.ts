import { LANES, type MessageRow } from './message-row.ts';

/**
 * Fields that every new message needs. All other fields have the values of a message that was not
 * sent through this gateway.
 */
export type NewMessage = Pick<
  MessageRow,
  '_id' | 'tenant_id' | 'session_id' | 'direction' | 'chat_id' | 'message_type' | 'body' | 'status' | 'net_id' | 'created_at'
> &
  Partial<MessageRow>;

/** Creates every message row, so that a new field has a value everywhere. */
export function newMessage(given: NewMessage): MessageRow {
  return {
    sender: null,
    sender_name: null,
    parts: {},
    media_r2_key: null,
    error: null,
    quotes: null,
    lane: LANES.reply,
    priority: 0,
    epoch: 0,
    attempts: 0,
    quota_month: null,
    outbox_pending: false,
    rev: 0,
    claimed_at: null,
    sent_at: null,
    delivered_at: null,
    read_at: null,
    ...given,
  };
}
