import { derivedId, newId } from '../../../runtime/ids.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import type { RecurringPatch, RecurringRow, Run } from '../../../store/scheduling/recurring.ts';
import type { SendOrder } from '../messaging/sending.ts';
import { acceptOnce, FULL_PAUSE_MS, optedOutOf, type ReleaseDeps } from './accept-once.ts';
import { nextRun, type Schedule } from './schedule.ts';

/** `sent`: accepted for sending, at this run or before it was interrupted. */
type Counts = NonNullable<Run['done']>;

const TARGETS_BATCH_SIZE = 50;

/**
 * Does one run of a recurring message: to everybody who did not ask to be left alone. What was missed meanwhile is run once: the next run is
 * the first one after now.
 */
export async function runRecurring(deps: ReleaseDeps, due: RecurringRow, now: number): Promise<void> {
  const { recurring, devices } = deps;
  const row = due.run ? due : await recurring.change(due.tenant_id, due._id, (one) => started(one, now));
  if (!row?.run) return;
  if (row.run.done) return tell(deps, row, row.run, row.run.done);
  const device = await devices.find(row.tenant_id, row.session_id);
  if (!device) return void (await recurring.change(row.tenant_id, row._id, () => ({ run: null, is_active: false, next_run_at: null })));
  const counts = await sendToAll(deps, device, row, row.run, now);
  const { key } = row.run;
  if (!counts) return void (await recurring.change(row.tenant_id, row._id, (one) => postponed(one, key, now + FULL_PAUSE_MS)));
  const ended = await recurring.change(row.tenant_id, row._id, ({ run }) => (run?.key === key ? { run: { ...run, done: counts } } : null));
  if (ended?.run) await tell(deps, ended, ended.run, counts);
}

/** The run is over once it was told: who dies between tells it again, under the same id. */
async function tell(deps: ReleaseDeps, row: RecurringRow, { key, at }: Run, counts: Counts): Promise<void> {
  const { tenant_id, session_id, _id, next_run_at } = row;
  const data = { recurring_id: _id, ...counts, next_run_at };
  deps.emit(tenant_id, session_id, { type: 'recurring.executed', data }, derivedId(`${key} executed`, at));
  await deps.recurring.change(tenant_id, _id, ({ run }) => (run?.key === key ? { run: null } : null));
}

type Scheduling = Pick<RecurringRow, 'schedule_type' | 'schedule_config' | 'since' | 'timezone'>;

/** Its schedule, as it is computed with. */
function scheduleOf({ schedule_type: type, schedule_config: config, since }: Scheduling): Schedule {
  const { hour, minute, day = 1, every_days: everyDays = 1 } = config;
  return { type, hour, minute, day, everyDays, since };
}

/** When it runs next after `after`, both epoch ms. */
export const nextRunOf = (row: Scheduling, after: number): number => nextRun(scheduleOf(row), row.timezone, after);

export const newRun = (now: number): Run => ({ key: newId(now), at: now, resume_at: now });

function started(row: RecurringRow, now: number): RecurringPatch | null {
  if (row.run || !row.is_active || row.next_run_at === null || row.next_run_at > now) return null;
  return { run: newRun(now), last_run_at: now, next_run_at: nextRunOf(row, now) };
}

const postponed = ({ run }: RecurringRow, key: string, resume_at: number): RecurringPatch | null =>
  run?.key === key ? { run: { ...run, resume_at } } : null;

/** null: the device's queue is full. Whom it reached already it finds again under the same id. */
async function sendToAll(deps: ReleaseDeps, device: DeviceRow, row: RecurringRow, run: Run, now: number): Promise<Counts | null> {
  const people = await peopleOf(deps, row);
  const optedOut = await optedOutOf(deps, row.tenant_id, [...people.keys()]);
  const targets = [...people].filter(([chat]) => !optedOut.has(chat));
  let [sent, failed] = [0, 0];
  for (let from = 0; from < targets.length; from += TARGETS_BATCH_SIZE) {
    const some = targets.slice(from, from + TARGETS_BATCH_SIZE);
    const answers = await Promise.all(some.map((target) => acceptOnce(deps, device, orderTo(row, run, ...target), now)));
    if (answers.includes(null)) return null;
    sent += answers.filter((answer) => answer === 'queued').length;
    failed += answers.filter((answer) => answer === 'failed').length;
  }
  return { sent, failed };
}

/** Whom it goes to by now, each once, with the first of their addresses among the targets. */
async function peopleOf({ people }: ReleaseDeps, { tenant_id, targets }: RecurringRow): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(targets.map(async (target) => [await people.resolve(tenant_id, target), target] as const));
  const first = new Map<string, string>();
  for (const [chat, target] of found) if (!first.has(chat)) first.set(chat, target);
  return first;
}

/** Its id follows from the target as it was named: learning a person's number during a run is no reason to write to them twice. */
function orderTo(row: RecurringRow, run: Run, chat: string, target: string): SendOrder & { readonly id: string } {
  const { _id, message, message_type, media_r2_key, parts } = row;
  return {
    id: derivedId(`${run.key} ${target}`, run.at),
    chat,
    message_type,
    body: message,
    parts,
    ...(media_r2_key !== null && { media_r2_key }),
    quotes: null,
    lane: LANES.scheduled,
    priority: 0,
    origin: { kind: 'recurring', id: _id },
  };
}
