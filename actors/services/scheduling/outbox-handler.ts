import type { Clock } from '../../../runtime/clock.ts';
import { groupsOf } from '../../../runtime/groups.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Scheduled } from '../../../store/scheduling/scheduled.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import { messageOver, type RunOutcomeDeps } from './run-outcome.ts';

type Deps = RunOutcomeDeps & { readonly scheduled: Pick<Scheduled, 'ended'>; readonly clock: Pick<Clock, 'now'> };

export function updateScheduled(deps: Deps): OutboxHandler {
  return {
    name: 'scheduled',
    plan: (rows) => (rows.some((row) => outcomeOfScheduled(row) || isOverInRun(row)) ? { alone: () => end(rows) } : null),
  };

  async function end(rows: readonly MessageRow[]): Promise<void> {
    await Promise.all(rows.map((row) => follow(deps, row)));
    for (const [key, own] of groupsOf(rows.filter(isOverInRun), ({ origin }) => origin.run)) {
      const { tenant_id, origin } = own[0];
      await messageOver(deps, tenant_id, origin.id, key, deps.clock.now());
    }
  }
}

type OfRun = MessageRow & { readonly origin: { readonly run: string } };

const isOverInRun = (row: MessageRow): row is OfRun => row.origin?.run !== undefined && outcomeOf(row) !== null;

const outcomeOfScheduled = (row: MessageRow): Outcome | null => (row.origin?.kind === 'scheduled' ? outcomeOf(row) : null);

async function follow({ scheduled, emit }: Deps, row: MessageRow): Promise<void> {
  const outcome = outcomeOfScheduled(row);
  if (!row.origin || !outcome) return;
  const isNew = await scheduled.ended(row.origin.id, outcome.status, outcome.error);
  if (!isNew || outcome.status === 'failed') return;
  emit(row.tenant_id, row.session_id, { type: 'scheduled.sent', data: { scheduled_id: row.origin.id, message_id: row._id } });
}

interface Outcome {
  readonly status: 'sent' | 'failed';
  readonly error: string | null;
}

function outcomeOf({ status, error, sent_at, delivered_at, read_at }: MessageRow): Outcome | null {
  // The message was deleted from the log before it was sent.
  if (status === 'deleted' && (sent_at ?? delivered_at ?? read_at) === null) return { status: 'failed', error: error ?? 'cancelled' };
  if (status === 'failed') return { status, error };
  if (status === 'cancelled') return { status: 'failed', error: 'cancelled' };
  return status === 'queued' || status === 'sending' ? null : { status: 'sent', error: null };
}
