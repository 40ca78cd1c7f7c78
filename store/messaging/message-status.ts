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
 * After a temporary refusal by the network, a message returns to `queued` for its next attempt. A
 * receipt may overtake the ack or another receipt, but never moves a message back. Every status may
 * change to `deleted`, which is final. Inbound messages start as `delivered`.
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
 * Marks a row as having unprocessed consequences. The higher `rev` keeps handlers of older changes
 * from removing the mark.
 */
export const changed = (set: Readonly<Record<string, unknown>>): Update => ({
  $set: { ...set, outbox_pending: true },
  $inc: { rev: 1 },
});

/** A failure is not a milestone, because a failed row does not change unless it is retried. */
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
