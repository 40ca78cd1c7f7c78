import type { MessageRow } from '../../store/messages.ts';
import { phoneOf } from '../network/jid.ts';
import type { Draft } from './types.ts';

/**
 * What happened to a message, read from its row alone (spec.md part 6): deriving it again gives the same events. `now` is when a failure is
 * noticed, of which the row keeps no time.
 */
export function eventsOf(row: MessageRow, now: number): readonly Draft[] {
  if (row.direction === 'inbound') return [draft(row, 'message.received', row._id, row.created_at, received(row))];
  return [...sent(row), ...receipts(row), ...failed(row, now)];
}

/** May some of its events be recorded already? Then its row changed more than once. */
export const hasHistory = ({ direction, rev }: MessageRow): boolean => rev > (direction === 'inbound' ? 0 : 1);

/** A message that is retried after the network refused it late is sent anew: its time tells the two apart. */
function sent(row: MessageRow): readonly Draft[] {
  const at = row.sent_at ?? row.delivered_at ?? row.read_at;
  return at === null ? [] : [draft(row, 'message.sent', `${row._id}@${at}`, at, outbound(row, 'sent'))];
}

function receipts(row: MessageRow): readonly Draft[] {
  return (['delivered', 'read'] as const).flatMap((status) => {
    const at = row[`${status}_at`];
    return at === null ? [] : [draft(row, `message.${status}`, `${row._id}@${at}`, at, outbound(row, status))];
  });
}

/** Nothing changes a failed row but a retry, so `rev` names this failure. */
function failed(row: MessageRow, now: number): readonly Draft[] {
  if (row.status !== 'failed') return [];
  return [draft(row, 'message.failed', `${row._id}#${row.rev}`, now, { ...outbound(row, 'failed'), error: row.error })];
}

function draft(row: MessageRow, type: Draft['type'], key: string, at: number, data: Draft['data']): Draft {
  return { session_id: row.session_id, type, row: `message ${key}`, occurred_at: at, data };
}

function received(row: MessageRow): Draft['data'] {
  const { body, sender, sender_name } = row;
  return { ...common(row), body, sender: sender === null ? null : { ...person(sender), name: sender_name } };
}

const outbound = (row: MessageRow, status: string): Draft['data'] => ({ ...common(row), status });

function common({ _id, chat_id, direction, message_type }: MessageRow): Draft['data'] {
  return { message_id: _id, ...person(chat_id), direction, message_type };
}

/** api.md: every chat and sender in a payload carries the three. */
export function person(jid: string): { readonly chat_id: string; readonly phone: string | null; readonly lid: string | null } {
  return { chat_id: jid, phone: phoneOf(jid), lid: jid.endsWith('@lid') ? jid : null };
}
