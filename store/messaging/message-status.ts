import { movesOf } from '../patterns/transitions.ts';
import type { Update } from '../port.ts';
import type { MessageRow, Milestone, StoredStatus } from './message-row.ts';

/**
 *   new ──▶ queued ──claim──▶ sending ──ack──▶ sent ──receipt──▶ delivered ──receipt──▶ read
 *            │ │ ▲               │              │
 *     cancel │ │ └────retry────┐ │ refused      │ refused
 *            │ │               │ │              │
 *            │ └──expired──▶ failed ◀───────────┘
 *            ▼   opted out, no quota
 *        cancelled
 *
 * What the network refuses for the moment goes back from `sending` or `sent` to `queued`, and waits there for its next try.
 *
 * A receipt may overtake the ack or another receipt, so `sending` may become `delivered` or `read` at once; none moves a message back. From
 * every status a message may become `deleted`, which is final. Inbound messages begin as `delivered`.
 */
export const MESSAGE_TRANSITIONS = {
  queued: ['sending', 'failed', 'cancelled', 'deleted'],
  sending: ['queued', 'sent', 'delivered', 'read', 'failed', 'deleted'],
  sent: ['queued', 'delivered', 'read', 'failed', 'deleted'],
  delivered: ['read', 'deleted'],
  read: ['deleted'],
  failed: ['queued', 'deleted'],
  cancelled: ['deleted'],
  deleted: [],
} as const satisfies Readonly<Record<StoredStatus, readonly StoredStatus[]>>;

export const messageMove = movesOf(MESSAGE_TRANSITIONS);

/**
 * The outbox of a row: what has to follow from its last change, and whether it did.
 *
 *   processed ──change──▶ pending ──all handlers ran──▶ processed
 *                          └──change──▶ pending, with a higher `rev`: handlers that ran for the older one do not end it
 */
export const changed = (set: Readonly<Record<string, unknown>>): Update => ({
  $set: { ...set, outbox_pending: true },
  $inc: { rev: 1 },
});

/** What has happened to a message by now. A failure is none: its row changes no more, unless it is retried. */
export function milestonesOf(row: MessageRow): readonly Milestone[] {
  const isReceived = row.direction === 'inbound' || row.message_type === 'reaction';
  const milestones: Milestone[] = [];
  if (isReceived) milestones.push('received');
  else {
    if ((row.sent_at ?? row.delivered_at ?? row.read_at) !== null) milestones.push('sent');
    if (row.delivered_at !== null) milestones.push('delivered');
    if (row.read_at !== null) milestones.push('read');
  }
  if (row.edit_id !== undefined) milestones.push(`edited ${row.edit_id}`);
  if (row.deleted_at !== undefined) milestones.push('deleted');
  return milestones;
}
