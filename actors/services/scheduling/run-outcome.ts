import { derivedId } from '../../../runtime/derived-ids.ts';
import type { Messages } from '../../../store/messaging/messages.ts';
import type { AcceptedRun, Recurring, RecurringRow } from '../../../store/scheduling/recurring.ts';
import type { StreamOnly } from '../live/types.ts';

export interface RunOutcomeDeps {
  readonly recurring: Pick<Recurring, 'byId' | 'change'>;
  readonly messages: Pick<Messages, 'isRunOver' | 'runOutcome'>;
  /** Notifies current listeners; `id`, a ULID, where it may be told again. */
  emit(tenantId: string, sessionId: string, event: StreamOnly, id?: string): void;
}

/** Messages may go in silence: with a person who is forgotten, or with what is too old to be kept. */
const LOOK_EVERY_MS = 3_600_000;
/** A process that has not published by then has died. */
const PUBLISH_WITHIN_MS = 60_000;
/** When more runs wait for their device, the oldest are published as they are. */
const MAX_ACCEPTED = 10;

/**
 * Publishes the outcome of an accepted run once none of its messages waits any more. The run ends after that: a process that dies in between
 * publishes it again, under the same id.
 */
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

/** A message of this run is over. */
export async function messageOver(deps: RunOutcomeDeps, tenantId: string, id: string, key: string, now: number): Promise<void> {
  if (!(await deps.messages.isRunOver(key))) return;
  const row = await deps.recurring.byId(tenantId, id);
  if (row?.accepted.some((one) => one.key === key)) await publishOutcome(deps, row, key, now);
}

type Change = (run: AcceptedRun) => AcceptedRun | readonly [] | null;

/** null: there is no such run, or `change` changes nothing. */
function changed(accepted: readonly AcceptedRun[], key: string, change: Change): Pick<RecurringRow, 'accepted'> | null {
  const run = accepted.find((one) => one.key === key);
  const next = run ? change(run) : null;
  return next && { accepted: accepted.flatMap((one) => (one === run ? next : one)) };
}
