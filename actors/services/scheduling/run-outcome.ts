import { derivedId } from '../../../runtime/derived-ids.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import type { AcceptedRun, Recurring, RecurringRow } from '../../../store/scheduling/recurring.ts';
import type { StreamOnly } from '../live/types.ts';

/** Publishes the outcomes of recurring runs as `recurring.executed`. */

export interface RunOutcomeDeps {
  readonly recurring: Pick<Recurring, 'byId' | 'change'>;
  readonly messages: Pick<Messages, 'isRunOver' | 'runOutcome'>;
  emit(tenantId: string, sessionId: string, event: StreamOnly, id?: string): void;
}

/** Runs are also checked hourly, because erasure and retention remove messages without an event. */
const LOOK_EVERY_MS = 3_600_000;
const PUBLISH_WITHIN_MS = 60_000;
/** Maximum number of unfinished runs. If there are more, the oldest are published as they are. */
const MAX_ACCEPTED = 10;

/** If called again after a crash, publishes the outcome under the same ID. */
export async function publishOutcome(deps: RunOutcomeDeps, { tenant_id, _id }: RecurringRow, key: string, now: number): Promise<void> {
  const { recurring, messages, emit } = deps;
  const isOver = await messages.isRunOver(key);
  const row = await recurring.change(tenant_id, _id, ({ accepted }) => {
    const isDue = isOver || accepted.findIndex((one) => one.key === key) < accepted.length - MAX_ACCEPTED;
    return changed(accepted, key, (one) => {
      if (one.telling && one.look_at > now) return null;
      return isDue ? { ...one, telling: true, look_at: now + PUBLISH_WITHIN_MS } : { ...one, telling: false, look_at: now + LOOK_EVERY_MS };
    });
  });
  const run = row?.accepted.find((one) => one.key === key);
  if (!row || !run?.telling) return;
  const data = { recurring_id: _id, ...(await messages.runOutcome(key)), next_run_at: row.next_run_at };
  emit(tenant_id, row.session_id, { type: 'recurring.executed', data }, derivedId(`${key} executed`, run.at));
  await recurring.change(tenant_id, _id, ({ accepted }) => changed(accepted, key, () => []));
}

export async function messageOver(deps: RunOutcomeDeps, tenantId: string, id: string, key: string, now: number): Promise<void> {
  if (!(await deps.messages.isRunOver(key))) return;
  const row = await deps.recurring.byId(tenantId, id);
  if (row?.accepted.some((one) => one.key === key)) await publishOutcome(deps, row, key, now);
}

type Change = (run: AcceptedRun) => AcceptedRun | readonly [] | null;

function changed(accepted: readonly AcceptedRun[], key: string, change: Change): Pick<RecurringRow, 'accepted'> | null {
  const run = accepted.find((one) => one.key === key);
  const next = run ? change(run) : null;
  return next && { accepted: accepted.flatMap((one) => (one === run ? next : one)) };
}
