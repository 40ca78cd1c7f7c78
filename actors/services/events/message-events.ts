import type { MessageRow, Milestone } from '../../../store/messaging/messages.ts';
import { isLid, phoneOf, STORIES } from '../../network/jid.ts';
import { waMessageIdOf } from '../messaging/wa-message-id.ts';
import { besideOf, namedPerson } from './beside.ts';
import type { Draft } from './types.ts';

/**
 * Derives events from the row alone, so that processing a row again gives the same events, even if
 * the recorded ones have expired.
 */
export function eventsOf(row: MessageRow, now: number): readonly Draft[] {
  if (row.chat_id === STORIES) return statusFailed(row, now);
  if (row.message_type === 'reaction') return [...reacted(row), ...changed(row)];
  if (row.direction === 'inbound') return [...received(row), ...changed(row)];
  return [...sent(row), ...receipts(row), ...failed(row, now), ...changed(row)];
}

const isNew = ({ processed }: MessageRow, milestone: Milestone): boolean => !processed?.includes(milestone);

function changed(row: MessageRow): readonly Draft[] {
  const { edited_at, edit_id, deleted_at, body, status } = row;
  const isEdited = edited_at !== undefined && deleted_at === undefined && isNew(row, `edited ${edit_id}`);
  const isDeleted = deleted_at !== undefined && isNew(row, 'deleted');
  return [
    ...(isEdited ? [draft(row, 'message.edited', `${row._id}@${edit_id}`, edited_at, { ...common(row), body })] : []),
    ...(isDeleted ? [draft(row, 'message.deleted', row._id, deleted_at, { ...common(row), status })] : []),
  ];
}

/**
 * Whether some of the row's events may already be recorded. The first event is due when an inbound
 * row is stored, or when an outbound row first changes.
 */
export const hasHistory = ({ direction, rev }: MessageRow): boolean => rev > (direction === 'inbound' ? 0 : 1);

const BY_PHONE = { kind: 'phone', id: null, name: null } as const;

/** If the network rejects a message late, its retry has another `sent_at`, and so another event. */
function sent(row: MessageRow): readonly Draft[] {
  const at = row.sent_at ?? row.delivered_at ?? row.read_at;
  const data = { ...outbound(row, 'sent'), ...file(row), ...(row.from_phone && { from_phone: true, body: row.body, sent_by: BY_PHONE }) };
  return at === null || !isNew(row, 'sent') ? [] : [draft(row, 'message.sent', `${row._id}@${at}`, at, data)];
}

function receipts(row: MessageRow): readonly Draft[] {
  return (['delivered', 'read'] as const).flatMap((status) => {
    const at = row[`${status}_at`];
    return at === null || !isNew(row, status) ? [] : [draft(row, `message.${status}`, `${row._id}@${at}`, at, outbound(row, status))];
  });
}

/** A failed row changes only when it is retried, so `rev` identifies this failure. */
function failed(row: MessageRow, now: number): readonly Draft[] {
  if (row.status !== 'failed') return [];
  return [draft(row, 'message.failed', `${row._id}#${row.rev}`, now, { ...outbound(row, 'failed'), ...file(row), error: row.error })];
}

function statusFailed(row: MessageRow, now: number): readonly Draft[] {
  if (row.status !== 'failed') return [];
  return [draft(row, 'status.failed', `${row._id}#${row.rev}`, now, { status_id: row._id, error: row.error, at: now })];
}

function draft(row: MessageRow, type: Draft['type'], key: string, at: number, data: Draft['data']): Draft {
  return { session_id: row.session_id, type, row: `message ${key}`, occurred_at: at, data };
}

function received(row: MessageRow): readonly Draft[] {
  if (!isNew(row, 'received')) return [];
  return [
    draft(row, 'message.received', row._id, row.created_at, {
      ...common(row),
      body: row.body,
      sender: senderOf(row),
      ...written(row),
      ...file(row),
    }),
  ];
}

function written(row: MessageRow): Draft['data'] {
  const { reply_to = null, mentions = [] } = row.parts;
  const { kind, content, ...beside } = besideOf(row);
  return { kind, content, reply_to, mentions: mentions.map(namedPerson), ...beside };
}

function reacted(row: MessageRow): readonly Draft[] {
  if (row.status === 'deleted' || !isNew(row, 'received')) return [];
  return [draft(row, 'message.reaction', row._id, row.created_at, reaction(row))];
}

/** `emoji` is '' after the reaction was removed. */
function reaction(row: MessageRow): Draft['data'] {
  const { target = '', message_id = null } = row.parts.reaction ?? {};
  const about = { target: { message_id, wa_message_id: target }, target_wa_message_id: target };
  return { ...common(row), emoji: row.body, ...about, sender: senderOf(row) };
}

const senderOf = ({ sender, sender_name, sender_lid, sender_username }: MessageRow) =>
  sender === null ? null : { ...person(sender, sender_lid ?? null), username: sender_username ?? null, name: sender_name };

const outbound = (row: MessageRow, status: string): Draft['data'] => ({ ...common(row), status });

function common(row: MessageRow): Draft['data'] {
  const { _id, chat_id, direction, message_type, sender, sender_lid } = row;
  const chat = person(chat_id, sender === chat_id ? (sender_lid ?? null) : null);
  return { message_id: _id, wa_message_id: waMessageIdOf(row), ...chat, direction, message_type };
}

/** `key` is null while the file exists only on the network. */
function file({ parts: { media }, media_r2_key: key }: MessageRow): Draft['data'] {
  if (media === undefined) return {};
  const { content_type, size, filename, seconds = null, width = null, height = null } = media;
  return { media: { key, content_type, size, filename, seconds, width, height } };
}

interface Person {
  readonly chat_id: string;
  readonly phone: string | null;
  readonly lid: string | null;
}

export const person = (jid: string, lid: string | null = null): Person => ({
  chat_id: jid,
  phone: phoneOf(jid),
  lid: isLid(jid) ? jid : lid,
});
