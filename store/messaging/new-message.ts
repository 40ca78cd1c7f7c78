import { LANES, type MessageRow } from './message-row.ts';

/** What every message has to say of itself; the rest is as of one that nobody wrote through this gateway yet, unless it is said too. */
export type NewMessage = Pick<
  MessageRow,
  '_id' | 'tenant_id' | 'session_id' | 'direction' | 'chat_id' | 'message_type' | 'body' | 'status' | 'net_id' | 'created_at'
> &
  Partial<MessageRow>;

/** The row of a message: the only place in which one is made, so that a field that is added has its value everywhere. */
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
