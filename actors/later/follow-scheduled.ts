import type { MessageRow } from '../../store/messages.ts';
import type { Scheduled } from '../../store/scheduled.ts';
import type { FollowUp } from '../follow-ups.ts';
import type { ReleasePorts } from './handing.ts';

type Ports = Pick<ReleasePorts, 'emit'> & { readonly scheduled: Pick<Scheduled, 'ended'> };

/** A scheduled message ends as the message that it became does. */
export function followScheduled(ports: Ports): FollowUp {
  return {
    name: 'scheduled',
    run: async (rows) => void (await Promise.all(rows.map((row) => follow(ports, row)))),
  };
}

async function follow({ scheduled, emit }: Ports, row: MessageRow): Promise<void> {
  const outcome = row.origin?.kind === 'scheduled' && outcomeOf(row);
  if (!row.origin || !outcome) return;
  const isNew = await scheduled.ended(row.origin.id, outcome.status, outcome.error);
  if (!isNew || outcome.status === 'failed') return;
  emit(row.tenant_id, row.session_id, { type: 'scheduled.sent', data: { scheduled_id: row.origin.id, message_id: row._id } });
}

interface Outcome {
  readonly status: 'sent' | 'failed';
  readonly error: string | null;
}

function outcomeOf({ status, error }: MessageRow): Outcome | null {
  if (status === 'failed') return { status, error };
  if (status === 'cancelled') return { status: 'failed', error: 'cancelled' };
  return status === 'queued' || status === 'sending' ? null : { status: 'sent', error: null };
}
